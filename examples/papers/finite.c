// "Lazy abstraction with interpolants", Theorem 3: flags have few values, so that the unwinding ends.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  _Bool a = 0, b = 0, taken = 0;
  while (nondet()) {
    if (!taken && nondet()) { taken = 1; a = 1; }
    else if (!taken) { taken = 1; b = 1; }
    else if (a) { a = 0; taken = 0; }
    else { b = 0; taken = 0; }
    if (a && b) reach_error();
  }
  return 0;
}
