// expect: true --property unreach-call
#include <stdlib.h>
extern void reach_error(void);
static int done;
static void check(void) {
  if (!done) reach_error();
}
int main(void) {
  atexit(check);
  done = 1;
  exit(0);
}
