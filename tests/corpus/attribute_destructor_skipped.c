// expect: true --property unreach-call
// Neither abort nor _exit runs destructors.
#include <stdlib.h>
#include <unistd.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

__attribute__((destructor)) void after(void) { reach_error(); }

int main(void) {
    if (__VERIFIER_nondet_int())
        _exit(0);
    abort();
}
