// expect: unknown --property unreach-call
// An array of variable length inside of a struct is not supported.
extern void reach_error(void);

int main(void) {
    int n = 3;
    struct { char first; int rest[n]; } s;
    if (sizeof s == 16)
        reach_error();
    return 0;
}
