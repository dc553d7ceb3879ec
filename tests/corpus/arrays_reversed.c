// expect: true --property unreach-call
// Places of the two arrays correspond by arithmetic only.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[3], b[3], i;
    for (i = 0; i < 3; i++) {
        a[i] = __VERIFIER_nondet_int();
        b[2 - i] = a[i];
    }
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k > 2)
        return 0;
    int l = 2 - k;
    if (b[l] != a[k])
        reach_error();
    return 0;
}
