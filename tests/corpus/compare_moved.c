// expect: not-true
// realloc may leave a block where it is.
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    char *p = malloc(8), *q = realloc(p, 4);
    if (p == q)
        reach_error();
    free(q);
    return 0;
}
