// expect: true --property unreach-call
#include <string.h>
extern void reach_error(void);
int main(void) {
  char a[] = "ab", b[] = "ad";
  if (strcmp(a, b) >= 0 || strcmp(b, a) <= 0 || strcmp(a, "ab") != 0) reach_error();
  return 0;
}
