// expect: true
// Pointers to live objects are compared exactly, whatever was freed before.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *gone = malloc(4);
    free(gone);
    int *p = malloc(4), *q = malloc(4), *r = p;
    if (p == q || r != p)
        reach_error();
    free(p);
    free(q);
    return 0;
}
