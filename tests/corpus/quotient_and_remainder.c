// expect: true
// skip bounded: quotients of 32 bits are circuits there
// What division by an unknown divisor means: the quotient times the divisor is near the dividend.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (b == 0 || b == -1)
        return 0;
    if ((a / b) * b + a % b != a)
        reach_error();
    if (a < 0 || b < 0 || a > 10000 || b > 10000)
        return 0;
    int quotient = a / b;
    if (quotient * b > a)
        reach_error();
    if ((quotient + 1) * b <= a)
        reach_error();
}
