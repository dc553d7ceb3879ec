// expect: false(unreach-call) --property unreach-call
// C promises room for 32 functions; the machine's library has room for more.
// skip impact: thirty-three calls through pointers in turn take too long
// skip predicate: as impact
// skip trace: as impact
#include <stdlib.h>
extern void reach_error(void);

int runs;

void last(void) {
    if (runs != 31)
        reach_error();
}
void count(void) { runs++; }

int main(void) {
    atexit(last);
    for (int i = 0; i < 32; i++)
        atexit(count);
    return 0;
}
