// expect: true -p assert
// Two inputs of which each is cut into pieces.
// skip bounded: it takes the circuits of all operations
#include <assert.h>

extern double __VERIFIER_nondet_double(void);

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    if (!(x >= 0.0 && x <= 1.0) || !(y >= 0.0 && y <= 1.0)) return 0;
    double area = x * (1.0 - x) * (y - y * y * y);
    assert(area < 0.15);
    return 0;
}
