// expect: true -p assert
// One step of Newton's method for the root of x^3 - x from near one: a quotient of functions of the same input.
// skip bounded: it takes the circuits of all operations
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x >= 0.8f && x <= 1.25f) {
        float next = x - (x * x * x - x) / (3.0f * x * x - 1.0f);
        assert(next > 0.9f && next < 1.2f);
    }
    return 0;
}
