// "Lazy abstraction with interpolants", section 2: the invariant x = y is in the first restriction language, and
// what the prover says of single paths (x = 1 and y = 1, x = 2 and y = 2, ...) leaves every one.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  int x = 0, y = 0;
  while (nondet()) {
    if (x > 1000000) return 0;
    x++;
    y++;
  }
  while (x > 0) {
    x--;
    y--;
  }
  if (y != 0) reach_error();
  return 0;
}
