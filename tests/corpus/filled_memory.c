// expect: false(unreach-call)
// skip shape: pointer arithmetic with a variable offset
// Memory is filled with inputs byte by byte and read as something else: which
// bytes make the violation is for the replay to find out.
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

struct request {
    int code;
    unsigned char minor;
};

int main(void) {
    struct request *r = malloc(sizeof(struct request));
    if (!r)
        return 0;
    for (unsigned i = 0; i < sizeof(struct request); i++)
        ((char *)r)[i] = __VERIFIER_nondet_char();
    if (r->code == 149504 && r->minor == 17)
        reach_error();
    return 0;
}
