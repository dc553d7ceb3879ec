// expect: false(assert) --property assert
// Which of two directions is chosen decides whether the sum is above the other.
#include <assert.h>
#include <fenv.h>

extern int __VERIFIER_nondet_int(void);
static double tenth = 0.1, fifth = 0.2;

int main(void) {
  fesetround(__VERIFIER_nondet_int() > 5 ? FE_DOWNWARD : FE_UPWARD);
  double sum = tenth + fifth;
  fesetround(FE_TONEAREST);
  assert(sum == tenth + fifth);
  return 0;
}
