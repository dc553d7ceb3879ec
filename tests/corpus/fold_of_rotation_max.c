// expect: true --property unreach-call
// The largest cell of an array stays what it is when the array is rotated.
// skip trace: it does not use facts about cells
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
    a[n - 1] = first;
    if (fold(a, n) != before)
        reach_error();
}
