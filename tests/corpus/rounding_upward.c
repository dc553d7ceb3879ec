// expect: unknown
// Nothing here rounds but to the nearest: with any other mode there is no verdict.
#include <assert.h>
#include <fenv.h>
int main(void) {
  volatile float one = 1, three = 3;
  float before = one / three;
  fesetround(FE_UPWARD);
  assert(one / three == before);
  return 0;
}
