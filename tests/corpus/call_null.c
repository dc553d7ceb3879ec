// expect: false(valid-deref) --property valid-memsafety
// Calling a null pointer is an invalid access.
extern int __VERIFIER_nondet_int(void);

static int one(void) { return 1; }

int main(void) {
    int (*function)(void) = 0;
    if (__VERIFIER_nondet_int())
        function = one;
    return function();
}
