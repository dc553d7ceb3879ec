// expect: true --property valid-memsafety
// The copy ends where an index says that nothing reads after the copying.
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000)
        return 0;
    char *s = malloc(n);
    if (!s)
        return 0;
    for (unsigned i = 0; i + 1 < n; i++)
        s[i] = __VERIFIER_nondet_char();
    s[n - 1] = 0;
    char *copy = malloc(strlen(s) + 1);
    if (!copy)
        abort();
    strcpy(copy, s);
    for (char *p = copy; *p; p++)
        *p = 'y';
    free(copy);
    free(s);
    return 0;
}
