// expect: false(valid-shift) --property valid-shift
// The shift stands where it is evaluated for some values only.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < -1 || n > 3)
    return 0;
  return n < 2 && 8 >> n > 3;
}
