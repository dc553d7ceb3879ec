// expect: true --property unreach-call
// exit runs what atexit was given, then destructors, in the reverse order of constructors.
#include <stdlib.h>
extern void reach_error(void);

int order;

__attribute__((destructor(101))) void last(void) {
    if (order != 1234)
        reach_error();
}
__attribute__((destructor(300))) void third(void) { order = order * 10 + 4; }
__attribute__((destructor)) void second(void) { order = order * 10 + 3; }
__attribute__((destructor)) void first(void) { order = order * 10 + 2; }

void handler(void) { order = order * 10 + 1; }

int main(void) {
    atexit(handler);
    exit(0);
}
