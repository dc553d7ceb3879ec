// expect: not-false --property unreach-call
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  int x = 0, y = 5;
  char word[4] = "";
  int n = sscanf("12 ab", "%d %3s %d", &x, word, &y);
  if (x != 12 || n != 2 || y != 5 || word[1] != 'b' || word[2] != 0) reach_error();
  return 0;
}
