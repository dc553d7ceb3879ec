// expect: true
// Vectors are combined lane by lane, and their lanes are those of an array.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef int quad __attribute__((vector_size(16)));

static quad twice(quad v)
{
    v[0] = v[0] + v[0];
    return v;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 1000)
        return 0;
    quad a = {x, 2, 3};
    quad b = a + 1;
    if (b[0] != x + 1 || b[3] != 1)
        reach_error();
    b = b - a;
    if (b[0] != 1 || b[1] != 1 || b[2] != 1)
        reach_error();
    // What is smaller is -1 in every bit.
    quad less = a < 3;
    if (less[1] != -1 || less[2] != 0 || less[0] != (x < 3 ? -1 : 0))
        reach_error();
    a = __builtin_shuffle(a, (quad){3, 2, 1, 0});
    if (a[3] != x || a[0] != 0)
        reach_error();
    if (twice(a)[0] != 0 || a[2] != 2)
        reach_error();
    return 0;
}
