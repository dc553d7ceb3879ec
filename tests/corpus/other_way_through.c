// expect: false(unreach-call)
// skip shape: memory that is accessed in two ways
// The way that formulas see first reads from memory of mixed types what was
// never written there; another way through the same block is real.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    char *b = malloc(8);
    int done = 0, command = __VERIFIER_nondet_int(), size = __VERIFIER_nondet_int();
    if (!b)
        return 0;
    *(int *)b = 0;
    b[1] = 0;
    if (command == 0) {
        if (b[1] == 17)
            done = 1;
    } else if (command == 1) {
        if (b[2] == 3 && size > 5)
            done = 1;
    } else if (command == 1234) {
        if (size == 5678 && b[1] == 0)
            done = 1;
    }
    if (done)
        reach_error();
    return 0;
}
