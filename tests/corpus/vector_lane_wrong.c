// expect: false(unreach-call)
// Only one lane of the vector has changed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef int quad __attribute__((vector_size(16)));

int main(void)
{
    quad v = {0, 0, 0, 0};
    int x = __VERIFIER_nondet_int();
    v[2] = x;
    v |= 1;
    if (v[2] == 9 && v[1] == 1)
        reach_error();
    return 0;
}
