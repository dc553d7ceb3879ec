// expect: not-true
// The address of a local object that is gone may be that of a later one, as it is with gcc.
extern void reach_error(void);

static int *one(void) {
    int x = 1, *at = &x;
    return at;
}

static int *two(void) {
    int y = 2, *at = &y;
    return at;
}

int main(void) {
    int *p = one(), *q = two();
    if (p == q)
        reach_error();
    return 0;
}
