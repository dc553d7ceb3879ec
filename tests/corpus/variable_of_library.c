// expect: unknown -p unreach-call
// It is one at the start, which nobody here knows.
#include <getopt.h>
extern void reach_error(void);
int main(void) {
  if (optind == 57) reach_error();
  return 0;
}
