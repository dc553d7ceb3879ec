// expect: false(unreach-call)
// skip bounded: remainders of floats are circuits there
// As float_modulo.c, but the remainder may be more than 359.
#include <math.h>
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (!(x >= 0 && x < 1000))
        return 0;
    double angle = fmod(x, 360.0);
    if (!(angle >= 0 && angle <= 359))
        reach_error();
    if (x < 360 && angle != x)
        reach_error();
}
