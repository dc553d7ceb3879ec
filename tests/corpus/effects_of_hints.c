// expect: true --property unreach-call
// gcc evaluates what its hints are given, before what they are about.
#include <stdarg.h>
extern void reach_error(void);
static int next(va_list *list) {
  va_list *at = list;
  va_end(*at++);
  return at - list;
}
static int count(int n, ...) {
  va_list list;
  va_start(list, n);
  return next(&list);
}
int main(void) {
  int z = 10;
  if (__builtin_expect(z == 10, z++)) reach_error();
  if (z != 11 || count(1, 2) != 1) reach_error();
  return 0;
}
