// expect: not-true --property assert
// What was never set stays unknown when it is copied.
#include <assert.h>
#include <string.h>
struct pair { int set, unset; };

int main(void) {
  struct pair p, q;
  p.set = 1;
  memcpy(&q, &p, sizeof q);
  int x = q.unset;
  assert(q.set == 1 && x != 4711);
  return 0;
}
