// expect: true --property assert
// The pattern of a float through a union: the sign is the highest bit.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

union u {
  float f;
  unsigned bits;
};

int main(void) {
  union u x;
  x.bits = __VERIFIER_nondet_uint() & 0x7F000000u;
  if (x.bits < 0x7F800000u)
    assert(x.f >= 0.0f);
  return 0;
}
