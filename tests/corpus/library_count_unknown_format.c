// expect: not-true --property unreach-call
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  char format[] = "ab%n";
  int x = 0;
  printf(format, &x);
  if (x == 2) reach_error();
  return 0;
}
