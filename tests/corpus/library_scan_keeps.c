// expect: true --property unreach-call
// What comes after a conversion that failed keeps its value.
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  int x = 7, y = 8;
  int n = scanf("%d%d", &x, &y);
  if (n < 1 && x != 7) reach_error();
  if (n < 2 && y != 8) reach_error();
  return 0;
}
