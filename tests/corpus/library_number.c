// expect: true --property unreach-call
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  char *end;
  errno = 0;
  if (strtol("-7x", &end, 10) != -7 || *end != 'x' || errno) reach_error();
  div_t d = div(-7, 2);
  if (d.quot != -3 || d.rem != -1) reach_error();
  return 0;
}
