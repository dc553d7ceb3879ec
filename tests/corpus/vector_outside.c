// expect: false(valid-deref) --property valid-deref
// A vector has no more lanes than it has.
extern int __VERIFIER_nondet_int(void);

typedef int quad __attribute__((vector_size(16)));

int main(void)
{
    quad v = {1, 2, 3, 4};
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 4)
        return 0;
    return v[i];
}
