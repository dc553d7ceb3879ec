// expect: true
// skip impact: formulas do not know what a float is
// skip predicate: formulas do not know what a float is
// skip trace: formulas do not know what a float is
// The functions behind <math.h>'s macros, and the mode in which all of it rounds.
#include <assert.h>
#include <fenv.h>
#include <math.h>
int __fpclassify(double), __fpclassifyf(float), __fpclassifyl(long double);
int main(void) {
  assert(__fpclassify(1e-310) == FP_SUBNORMAL && __fpclassifyf(1e-30f) == FP_NORMAL);
  assert(__fpclassifyf(1e-40f) == FP_SUBNORMAL && __fpclassifyl(1e-310L) == FP_NORMAL);
  assert(__fpclassify(nan("")) == FP_NAN && __fpclassify(-0.0) == FP_ZERO);
  assert(__fpclassifyl(-INFINITY) == FP_INFINITE);
  assert(fesetround(FE_TONEAREST) == 0 && fegetround() == FE_TONEAREST);
  return 0;
}
