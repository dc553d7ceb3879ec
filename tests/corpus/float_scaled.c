// expect: true --property assert
// Scaling by powers of two is exact where the result is normal; the next float is the next.
#include <assert.h>
#include <math.h>
float nondet_float(void);
int main(void) {
  float x = nondet_float();
  if (!(x >= 1.0f && x < 8.0f)) return 0;
  assert(scalbnf(x, 3) == 8 * x);
  assert(ilogbf(x) >= 0 && ilogbf(x) <= 2);
  assert(nextafterf(x, 9.0f) > x && nextafterf(x, 0.0f) < x);
  return 0;
}
