// expect: false(assert) -p assert
// As float_pieces_sine.c, but the bound is exceeded next to the end of the interval, found by execution.
// skip impact: circuits of doubles; executions find it
// skip predicate: circuits of doubles; executions find it
// skip trace: circuits of doubles; executions find it
// skip bounded: circuits of doubles; executions find it
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x > -1.0 && x < 1.0);
    double sine = x - x * x * x / 6.0 + x * x * x * x * x / 120.0;
    assert(sine <= 0.84166666666666 && sine >= -0.9);
    return 0;
}
