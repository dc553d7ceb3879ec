// expect: true --property unreach-call
// skip bounded: a loop without a bound
// After the loop nobody knows where the array was written, only that it was at one place.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int m[1000], n[1000];

int main(void) {
    int x = __VERIFIER_nondet_int(), c = 0;
    if (x < 0 || x > 999)
        return 0;
    n[x] = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int())
        c = c < 10 ? c + 1 : 0;
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b > 999 || a >= b)
        return 0;
    if (m[a] != n[a] && m[b] != n[b])
        reach_error();
    return 0;
}
