// expect: true
// skip bounded: remainders of floats are circuits there
// What fmod leaves has the sign of its first operand and is smaller than both.
#include <math.h>
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (!(x >= 0 && x < 1000))
        return 0;
    double angle = fmod(x, 360.0);
    if (!(angle >= 0 && angle < 360))
        reach_error();
    if (x < 360 && angle != x)
        reach_error();
}
