// expect: false(unreach-call) --property unreach-call
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  int x = 0;
  printf("%d%n", 123, &x);
  if (x == 3) reach_error();
  return 0;
}
