// expect: false(unreach-call) --property unreach-call
// As in arrays_with_one_difference.c, but two places are written.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int m[3], n[3], i;
    for (i = 0; i < 3; i++) {
        m[i] = __VERIFIER_nondet_int();
        n[i] = m[i];
    }
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < 0 || x > 2 || y < 0 || y > 2)
        return 0;
    n[x] = __VERIFIER_nondet_int();
    n[y] = __VERIFIER_nondet_int();
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b > 2 || a >= b)
        return 0;
    if (m[a] != n[a] && m[b] != n[b])
        reach_error();
    return 0;
}
