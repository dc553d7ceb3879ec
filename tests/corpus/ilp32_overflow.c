// expect: false(no-overflow) --property no-overflow --data-model ILP32
// A long is as wide as an int.
// skip harness: the sizes of types matter, and a 32-bit C library need not be there
extern int __VERIFIER_nondet_int(void);

int main(void) {
  long sum = 0;
  int i, n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  for (i = 0; i < n; i++) sum += 536870912;
  return sum == 7;
}
