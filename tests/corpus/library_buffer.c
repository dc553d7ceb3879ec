// expect: unknown --property unreach-call
// The library writes into the buffer that it was given.
#include <stdio.h>
extern void reach_error(void);

static char buffer[BUFSIZ];

int main(void) {
    setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
    puts("x");
    fflush(stdout);
    if (buffer[0] != 0)
        reach_error();
    return 0;
}
