// expect: false(unreach-call) --property unreach-call
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  char *p = getenv("HOME");
  if (p && p[0] == '/') reach_error();
  return 0;
}
