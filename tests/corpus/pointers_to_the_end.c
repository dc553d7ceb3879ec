// expect: true --property valid-memsafety
// A pointer meets the end of memory of any size because it moves by whole elements.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 0;
    for (int *p = a; p < a + n; p++)
        *p = 0;
    int bits = 0;
    for (int *p = a, *end = a + n; p != end; p++)
        bits |= *p;
    free(a);
    return 0;
}
