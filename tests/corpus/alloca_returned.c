// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see the memory of alloca end
// The memory of alloca ends with its function.
extern unsigned __VERIFIER_nondet_uint(void);
void *alloca(unsigned long);

static int *two(int v) {
    int *made = alloca(2 * sizeof(int));
    made[0] = made[1] = v;
    return made;
}

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    int *kept = two(3);
    if (y < 10 && x == y * 5u + 3u && x > 40)
        kept[1] = 2;
    return 0;
}
