// expect: not-false --property unreach-call
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  if (getenv("PATH") != getenv("PATH")) reach_error();
  return 0;
}
