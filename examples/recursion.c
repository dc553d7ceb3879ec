// McCarthy's function: 91 for every argument up to 101.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int mc91(int x) {
  if (x > 100)
    return x - 10;
  return mc91(mc91(x + 11));
}

int main(void) {
  int x = __VERIFIER_nondet_int();
  int result = mc91(x);
  if (x <= 101 && result != 91)
    reach_error();
  return 0;
}
