// expect: false(valid-deref) --property valid-deref
// The old pointer is not to be used, wherever the block is now.
#include <stdlib.h>

int main(void) {
    int *p = calloc(4, sizeof(int));
    int *q = realloc(p, 8 * sizeof(int));
    if (q == 0)
        return 0;
    q[7] = 1;
    int sum = q[3] + q[7] + p[0];
    free(q);
    return sum;
}
