// expect: false(unreach-call) --property unreach-call
// skip harness: no harness chooses what rand returns
#include <stdlib.h>
#include <time.h>
extern void reach_error(void);
int main(void) {
  srand(time(0));
  if (rand() % 6 == 5) reach_error();
  return 0;
}
