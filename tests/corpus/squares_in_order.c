// expect: true
// skip bounded: products of 64 bits are circuits there
// The order of squares is the order of what is squared, and no square of a difference is negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < 0 || y < 0)
        return 0;
    long long a = (long long)x * x, b = (long long)y * y;
    if (a < b && x >= y)
        reach_error();
    if (a + b < 2LL * x * y)
        reach_error();
}
