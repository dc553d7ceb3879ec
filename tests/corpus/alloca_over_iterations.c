// expect: true --property valid-deref
// What a loop made by alloca lives as long as the function that calls it.
void *alloca(unsigned long);
extern int __VERIFIER_nondet_int(void);

static int last_two(int count) {
    int *last = 0, *before = 0;
    while (count > 0) {
        int *made = alloca(sizeof(int));
        *made = count--;
        before = last;
        last = made;
    }
    return before ? *before - *last : 0;
}

int main(void) {
    return last_two(__VERIFIER_nondet_int());
}
