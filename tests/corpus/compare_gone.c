// expect: true
// The value of a pointer to memory that is gone differs from null and stays what it is.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *p = malloc(4), *same = p;
    free(p);
    if (p == 0 || p != same)
        reach_error();
    return 0;
}
