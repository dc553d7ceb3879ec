// expect: unknown
// Whether the address is used again is up to the allocator: glibc does it.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *p = malloc(4);
    free(p);
    int *q = malloc(4);
    if (p != q)
        reach_error();
    return 0;
}
