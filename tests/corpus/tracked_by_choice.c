// expect: true --property valid-memtrack
// skip bounded: a loop without a bound
// The loop may go on forever, but whenever it does it might as well stop: then all is freed.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(3);
  while (__VERIFIER_nondet_int()) {
    p[0] = 1;
  }
  free(p);
  return 0;
}
