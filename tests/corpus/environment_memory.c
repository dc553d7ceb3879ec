// expect: false(valid-deref) --property valid-memsafety
// Where memory safety is asked for, a pointer out of nowhere leads nowhere.
extern void *__VERIFIER_nondet_pointer(void);

int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if (p)
        *p = 1;
    return 0;
}
