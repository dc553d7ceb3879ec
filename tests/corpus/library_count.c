// expect: true --property unreach-call
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  int x = 0;
  short y = 0;
  printf("ab%n", &x);
  fprintf(stderr, "abc%hn", &y);
  if (x != 2 || y != 3) reach_error();
  return 0;
}
