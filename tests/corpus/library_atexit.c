// expect: false(unreach-call) --property unreach-call
#include <stdlib.h>
extern void reach_error(void);
static int runs;
static void last(void) {
  if (runs == 1) reach_error();
}
static void first(void) { runs++; }
int main(void) {
  atexit(last);
  atexit(first);
  return 0;
}
