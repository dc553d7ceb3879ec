// expect: true --property valid-memsafety
// The loop stops because the last byte is zero, whatever the size of the memory.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static long length(const char *s) {
    const char *p = s;
    while (*p)
        p++;
    return p - s;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        n = 1;
    char *s = malloc(n);
    if (!s)
        return 0;
    s[n - 1] = '\0';
    length(s);
    free(s);
    return 0;
}
