// expect: true
// Memory is freed, but what is compared leads to static objects.
#include <stdlib.h>
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
struct buffer { char *bytes; int *owner; };
int first, second;

int main(void) {
    struct buffer b = {malloc(__VERIFIER_nondet_uchar()), &first};
    if (b.bytes != 0)
        b.bytes[0] = 1;
    free(b.bytes);
    if (b.owner == &second || b.owner != &first)
        reach_error();
    return 0;
}
