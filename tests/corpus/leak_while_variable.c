// expect: false(valid-memtrack) --property valid-memtrack
// skip harness: the program never ends
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int go = 1;
  while (go) {
    char *p = malloc(3);
    if (__VERIFIER_nondet_int())
      free(p);
  }
  return 0;
}
