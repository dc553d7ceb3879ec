// expect: not-true --property unreach-call
// gcc's binary gives the difference here, and -1 for literals.
#include <string.h>
extern void reach_error(void);
int main(void) {
  char a[] = "ab", b[] = "ad";
  if (strcmp(a, b) != -1) reach_error();
  return 0;
}
