// expect: true --property unreach-call
// No descriptor is negative.
#include <unistd.h>
extern void reach_error(void);

int main(void) {
    char c;
    if (read(-1, &c, 1) != -1 || close(-1) != -1)
        reach_error();
    return 0;
}
