// expect: not-false --property assert
#include <assert.h>
#include <limits.h>

int main(void) {
  int x = INT_MAX + 1;
  assert(x > 0);
  return 0;
}
