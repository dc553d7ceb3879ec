// expect: true --property valid-memsafety
extern int __VERIFIER_nondet_int(void);

static int one(void) { return 1; }
static int two(void) { return 2; }

int main(void) {
    int (*function)(void) = 0;
    if (__VERIFIER_nondet_int())
        function = one;
    else
        function = two;
    return function();
}
