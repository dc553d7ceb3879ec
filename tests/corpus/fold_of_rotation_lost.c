// expect: false(unreach-call) --property unreach-call
// The first cell is lost, which may have been the largest.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fold(int *a, int n)
{
    int most = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 2 || n > 1000)
        return 0;
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int before = fold(a, n), first = a[0];
    for (int i = 0; i < n - 1; i++)
        a[i] = a[i + 1];
    a[n - 1] = a[0];
    if (fold(a, n) != before)
        reach_error();
}
