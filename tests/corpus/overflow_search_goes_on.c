// expect: false(assert) --property assert
// The first violation that one finds lies behind an overflow, another one does not.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 2000000000)
    assert(x + 200000000 > x);
  assert(x != 1234567);
  return 0;
}
