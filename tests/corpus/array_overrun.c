// expect: false(valid-deref) --property valid-memsafety
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[10];
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 10) return 0;
  a[n] = 1;
  return a[0];
}
