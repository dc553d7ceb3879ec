// expect: true --property unreach-call
// gcc shifts negative values as their bits.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < -4 || x > 3)
        return 0;
    int cut = x << 30 >> 30;
    if (x >= -2 && x <= 1 && cut != x)
        reach_error();
    if (x << 4 != x * 16)
        reach_error();
    if (1 << 31 >> 31 != -1)
        reach_error();
    return 0;
}
