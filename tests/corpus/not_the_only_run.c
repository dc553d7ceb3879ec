// expect: not-true --property assert
// A bit-field that nothing set, beside one that was set.
#include <assert.h>
struct flags { unsigned a : 3, b : 3; };

int main(void) {
  struct flags f;
  f.a = 1;
  assert(f.b == 0);
  return 0;
}
