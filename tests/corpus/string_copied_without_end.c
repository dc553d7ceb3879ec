// expect: false(valid-deref) --property valid-memsafety
// The copy has no room for the end of the string.
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 2 || n > 4)
        return 0;
    char *s = malloc(n);
    if (!s)
        return 0;
    memset(s, 'a', n);
    s[n - 1] = 0;
    char *copy = malloc(strlen(s));
    if (!copy)
        return 0;
    strcpy(copy, s);
    free(copy);
    free(s);
    return 0;
}
