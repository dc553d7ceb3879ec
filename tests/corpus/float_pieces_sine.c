// expect: true -p assert
// The input occurs several times in the function: bounded on pieces of the input, not on the whole.
// skip bounded: it takes the circuits of all operations
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x > -1.0 && x < 1.0);
    double sine = x - x * x * x / 6.0 + x * x * x * x * x / 120.0;
    assert(sine <= 0.9 && sine >= -0.9);
    return 0;
}
