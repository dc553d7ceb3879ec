// expect: true --property unreach-call
// A loop writes, and a place that is chosen later is read.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *alloca(unsigned long);

int main(void) {
    int n = 3, i;
    int *a = alloca(n * sizeof(int));
    for (i = 0; i < n; i++)
        a[i] = i;
    int k = __VERIFIER_nondet_int();
    if (k < 0 || k >= n)
        return 0;
    if (a[k] != k)
        reach_error();
    return 0;
}
