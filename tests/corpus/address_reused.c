// expect: unknown
// The address of a freed object may be that of a later one.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *p = malloc(4);
    free(p);
    int *q = malloc(4);
    if (p == q)
        reach_error();
    return 0;
}
