// expect: false(no-overflow) --property no-overflow
// Arithmetic of signed lanes overflows like that of integers.
extern int __VERIFIER_nondet_int(void);

typedef int pair __attribute__((vector_size(8)));

int main(void)
{
    pair v = {0, 1};
    v[1] = __VERIFIER_nondet_int();
    v = v + 1;
    return v[1];
}
