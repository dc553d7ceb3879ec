// expect: false(unreach-call) --property unreach-call
// A width is the most, not how much there is.
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  char b[6];
  b[5] = 'y';
  sscanf("ab", "%5s", b);
  if (b[5] == 'y') reach_error();
  return 0;
}
