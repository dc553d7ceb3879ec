// expect: false(valid-deref) --property valid-memsafety
// skip trace: unrolls the loop round by round
// The array has no room for the end of its string.
extern int __VERIFIER_nondet_int(void);
#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
static char a[300] = HUNDRED HUNDRED HUNDRED;
static char b[301] = HUNDRED HUNDRED HUNDRED;

int main(void) {
    char *p = __VERIFIER_nondet_int() ? a : b;
    a[0] = 'y';
    b[7] = (char)__VERIFIER_nondet_int();
    while (*p)
        p++;
    return 0;
}
