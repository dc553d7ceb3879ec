// expect: not-false --property unreach-call
// Memory that is asked for with an alignment has it.
#include <stdint.h>
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    void *line = aligned_alloc(64, 64), *page;
    if (posix_memalign(&page, 4096, 10) != 0)
        return 1;
    if ((uintptr_t)line % 64 != 0 || (uintptr_t)page % 4096 != 0)
        reach_error();
    free(line);
    free(page);
    return 0;
}
