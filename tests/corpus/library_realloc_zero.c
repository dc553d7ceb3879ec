// expect: false(unreach-call) --property unreach-call
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  char *p = malloc(16);
  if (!p) return 0;
  if (!realloc(p, 0)) reach_error();
  return 0;
}
