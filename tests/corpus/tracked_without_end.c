// expect: true --property valid-memtrack
// skip bounded: a loop without a bound
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  for (;;) {
    char *p = malloc(3);
    if (__VERIFIER_nondet_int())
      p[1] = 2;
    free(p);
  }
}
