// expect: not-false --property unreach-call
// The same seed gives the same numbers.
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  srand(5);
  int a = rand();
  srand(5);
  if (a != rand()) reach_error();
  return 0;
}
