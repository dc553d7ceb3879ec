// expect: true --property assert
// The value that overflows is no input: the run remembers it all the same.
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int y = rand();
  int z = y * 40 + 1;
  assert(z > 0);
  return 0;
}
