// expect: unknown --property unreach-call
// Where the result goes depends on whether the place or the argument comes first.
extern void reach_error(void);
int a, b, *p = &a;
int one(int *unused) { return 1; }

int main(void) {
    *p = one(p = &b);
    if (b)
        reach_error();
    return 0;
}
