// expect: false(valid-memtrack) --property valid-memtrack
// Two variables point to memory, but to the same: the other block is lost while the loop runs.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    char *a = malloc(4), *b = malloc(4);
    if (!a || !b)
        return 0;
    if (__VERIFIER_nondet_int())
        b = a;
    while (__VERIFIER_nondet_int())
        *a = 1;
    if (b != a)
        free(b);
    free(a);
    return 0;
}
