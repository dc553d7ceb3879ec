// expect: false(unreach-call)
// The violation does not depend on how the comparison comes out.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *p = malloc(4);
    free(p);
    int *q = malloc(4);
    int equal = p == q;
    free(q);
    if (equal < 2)
        reach_error();
    return 0;
}
