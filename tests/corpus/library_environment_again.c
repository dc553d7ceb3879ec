// expect: not-true --property unreach-call
// The same name gives the same pointer, also with another call between.
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  char *p = getenv("PATH"), *q = getenv("HOME"), *r = getenv("PATH");
  if (p && p == r) reach_error();
  return 0;
}
