// expect: true --property valid-memsafety
// The size of the memory is what a variable says, each time that it has moved.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    size_t room = 4, used = 0;
    int *a = malloc(room * sizeof *a);
    if (!a)
        return 0;
    while (used < 100000 && __VERIFIER_nondet_int()) {
        if (used == room) {
            room *= 2;
            int *b = realloc(a, room * sizeof *a);
            if (!b) {
                free(a);
                return 0;
            }
            a = b;
        }
        a[used++] = 7;
    }
    free(a);
    return 0;
}
