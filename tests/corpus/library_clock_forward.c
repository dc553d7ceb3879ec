// expect: true --property unreach-call
// Neither the time since the start nor the time used goes back.
#include <time.h>
extern void reach_error(void);

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (after.tv_sec < before.tv_sec)
        reach_error();
    return 0;
}
