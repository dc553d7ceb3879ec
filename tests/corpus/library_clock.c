// expect: true --property unreach-call
// The clock of the day is always there.
#include <time.h>
extern void reach_error(void);

int main(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        reach_error();
    if (now.tv_nsec < 0 || now.tv_nsec > 999999999L)
        reach_error();
    return 0;
}
