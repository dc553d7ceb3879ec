// expect: true --property assert
// skip impact: more operations than are made exact one by one
// skip predicate: more operations than are made exact one by one
// skip trace: more operations than are made exact one by one
// In each direction of <fenv.h> sums, quotients, roots and conversions lie on the side that it says.
#include <assert.h>
#include <fenv.h>
#include <math.h>

extern double roundeven(double);
static double tenth = 0.1, fifth = 0.2;
static float narrow(long n) { return (float)n; }

int main(void) {
  assert(fegetround() == FE_TONEAREST && fesetround(17) != 0);
  fesetround(FE_DOWNWARD);
  double low = tenth + fifth, low_root = sqrt(fifth);
  assert(narrow(33554435) == 33554432.0f && narrow(-33554433) == -33554436.0f);
  assert(rint(12.9) == 12.0 && nearbyint(-12.1) == -13.0 && lrint(2.7) == 2);
  assert(roundeven(2.5) == 2.0 && floor(-0.5) == -1.0);
  double minus_zero = tenth - tenth;
  assert(minus_zero == 0 && signbit(minus_zero));
  assert(fegetround() == FE_DOWNWARD);
  fesetround(FE_UPWARD);
  double high = tenth + fifth, high_root = sqrt(fifth);
  assert(low < high && low_root < high_root && high_root * high_root > fifth);
  assert(narrow(33554433) == 33554436.0f);
  fesetround(FE_TOWARDZERO);
  assert(-(tenth + fifth) == -low && (-tenth) - fifth == -low && rint(-12.9) == -12.0);
  fesetround(FE_TONEAREST);
  assert(roundeven(-3.5) == -4.0 && roundeven(0.5) == 0.0);
  return 0;
}
