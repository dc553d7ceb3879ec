// expect: false(valid-memtrack) --property valid-memtrack
// skip harness: the program never ends
// The loop can be left, but only to abort.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  for (;;) {
    void *p = malloc(4);
    p = 0;
    if (__VERIFIER_nondet_int() == 7)
      abort();
  }
}
