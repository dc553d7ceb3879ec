// expect: true --property assert
// Of any two numbers the sum that is rounded down is no greater than the one that is rounded up.
#include <assert.h>
#include <fenv.h>

extern float __VERIFIER_nondet_float(void);

int main(void) {
  float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
  if (!(a >= 1 && a <= 2 && b >= 0 && b <= 1)) return 0;
  fesetround(FE_DOWNWARD);
  float low = a + b;
  fesetround(FE_UPWARD);
  float high = a + b;
  assert(low <= high && low >= a);
  return 0;
}
