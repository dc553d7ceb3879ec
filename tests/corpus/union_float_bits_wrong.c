// expect: false(assert) --property assert
// The pattern of a float through a union: a pattern with the highest bit set is below zero.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

union u {
  float f;
  unsigned bits;
};

int main(void) {
  union u x;
  x.bits = __VERIFIER_nondet_uint() & 0xBF000000u;
  if (x.bits <= 0xBF000000u)
    assert(x.f >= 0.0f);
  return 0;
}
