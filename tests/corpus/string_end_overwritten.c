// expect: false(valid-deref) --property valid-memsafety
// The last byte is zero, until it is not.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 2 || n > 10)
        return 0;
    char *s = malloc(n);
    if (!s)
        return 0;
    s[n - 1] = '\0';
    for (int i = 0; i < n; i++)
        s[i] = 'x';
    char *p = s;
    while (*p)
        p++;
    free(s);
    return 0;
}
