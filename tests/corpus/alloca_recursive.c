// expect: true --property valid-deref
// skip impact: recursion is not inlined
// Each activation has memory of its own, which the calls inside of it may use.
void *alloca(unsigned long);

static int down(int n, int *above) {
    int *mine = alloca(sizeof(int));
    *mine = *above + n;
    return n <= 0 ? *mine : down(n - 1, mine);
}

int main(void) {
    int start = 0;
    return down(2, &start);
}
