// expect: false(valid-deref) --property valid-memsafety
// `strcpy` writes to what it is given, also where that is a string literal.
#include <string.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    char own[4] = "abc";
    char *text = __VERIFIER_nondet_int() ? own : "abc";
    if (text != own)
        strcpy(text, "x");
    return 0;
}
