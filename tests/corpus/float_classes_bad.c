// expect: false(assert) --property assert
// skip impact: formulas do not know what a float is
// skip predicate: formulas do not know what a float is
// skip trace: formulas do not know what a float is
// skip harness: it would need the mathematical library
#include <assert.h>
#include <math.h>
int __fpclassifyf(float);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  float x = __VERIFIER_nondet_int() == 5 ? 1e-40f : 2;
  assert(__fpclassifyf(x) == FP_NORMAL);
  return 0;
}
