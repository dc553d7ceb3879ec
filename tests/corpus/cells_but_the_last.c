// expect: false(assert) --property assert
// The last cell is not copied.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 100000);
  int a[n], b[n];
  for (int i = 0; i < n; i++) a[i] = b[i] = i;
  for (int i = 0; i < n - 1; i++) b[i] = a[i] = 7;
  for (int x = 0; x < n; x++) assert(b[x] == 7);
  return 0;
}
