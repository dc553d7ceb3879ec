// expect: false(valid-deref) --property valid-deref
// The bytes of a string literal are read-only memory.
extern unsigned __VERIFIER_nondet_uint(void);
static char *names[] = {"one", "two"};

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 2)
        names[i][0] = 'x';
    return 0;
}
