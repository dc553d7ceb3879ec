// expect: true
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int first = __VERIFIER_nondet_int(), x = first, new = 2, old;
  __atomic_exchange(&x, &new, &old, __ATOMIC_SEQ_CST);
  assert(x == 2 && new == 2 && old == first);
  int expected = 2, desired = 7;
  assert(__atomic_compare_exchange(&x, &expected, &desired, 0, 5, 5));
  assert(x == 7 && expected == 2);
  desired = 8;
  assert(!__atomic_compare_exchange(&x, &expected, &desired, 0, 5, 5));
  assert(x == 7 && expected == 7);
  return 0;
}
