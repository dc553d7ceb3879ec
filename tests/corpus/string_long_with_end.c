// expect: true --property valid-memsafety
// skip trace: unrolls the loop round by round
// A string that is too long to be known cell by cell still ends with its object.
extern int __VERIFIER_nondet_int(void);
#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
static char a[300] = HUNDRED HUNDRED HUNDRED;
static char b[301] = HUNDRED HUNDRED HUNDRED;

int main(void) {
    char *p = b;
    a[0] = 'y';
    b[7] = (char)__VERIFIER_nondet_int();
    while (*p)
        p++;
    return 0;
}
