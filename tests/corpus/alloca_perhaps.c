// expect: true --property valid-deref
// alloca that not every run calls.
void *alloca(unsigned long);
extern int __VERIFIER_nondet_int(void);

static int copied(int large) {
    int small = 1, *at = &small;
    if (large)
        at = alloca(4 * sizeof(int));
    *at = large;
    return *at;
}

int main(void) {
    return copied(__VERIFIER_nondet_int()) + copied(0);
}
