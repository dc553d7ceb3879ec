// expect: false(assert) --property assert
// `fmodf` and `fmaf` of some numbers are not what is claimed.
#include <assert.h>
#include <math.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint() & 15;
  float x = n;
  assert(fmodf(x, 4.0f) == (float)(n & 7));
  assert(fmaf(x, 2.0f, 1.0f) == (float)(2 * n + 1));
  return 0;
}
