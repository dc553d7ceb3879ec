// expect: false(assert) --property assert
// A cell is changed again behind the loop: what was said of all cells holds of the others only.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int k = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 100000 && k >= 0 && k < n);
  int a[n];
  for (int i = 0; i < n; i++) a[i] = 1;
  a[k] = 2;
  for (int x = 0; x < n; x++) assert(a[x] == 1);
  return 0;
}
