// A sum that leaves the range of its type for large inputs.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || b < 0)
    return 0;
  return a + b > 7;
}
