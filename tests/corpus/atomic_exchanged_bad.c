// expect: false(assert) --property assert
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), expected = 2, desired = 7;
  __atomic_compare_exchange(&x, &expected, &desired, 0, 5, 5);
  assert(expected == 2);
  return 0;
}
