// expect: true --property unreach-call
// And the average.
// skip trace: it does not use facts about cells
// skip predicate: equal quotients take its questions too long
// skip bounded: so do its own
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fold(int *a, int n)
{
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum / n;
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
    a[n - 1] = first;
    if (fold(a, n) != before)
        reach_error();
}
