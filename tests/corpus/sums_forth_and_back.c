// expect: true --property unreach-call
// What is added up over an array of any size and taken off again, backwards, is nothing.
// skip trace: it does not use facts about cells
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    int a[n];
    long long sum = 0;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        sum += 2 * (long long)a[i];
    for (int i = n - 1; i >= 0; i--)
        sum -= 2 * (long long)a[i];
    if (sum != 0)
        reach_error();
    return 0;
}
