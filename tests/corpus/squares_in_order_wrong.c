// expect: false(unreach-call)
// skip bounded: products of 64 bits are circuits there
// As squares_in_order.c, but equal numbers have equal squares.
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
    if (a + b <= 2LL * x * y)
        reach_error();
}
