// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see the memory of alloca end
// skip impact: recursion is not inlined
// The memory of an inner activation is gone when the outer one goes on.
void *alloca(unsigned long);
int *deepest;

static void down(int n) {
    int *mine = alloca(sizeof(int));
    *mine = n;
    if (n > 0)
        down(n - 1);
    else
        deepest = mine;
    if (n == 1)
        *deepest = 5;
}

int main(void) {
    down(2);
    return 0;
}
