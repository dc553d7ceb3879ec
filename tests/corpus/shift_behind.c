// expect: not-false --property assert
#include <assert.h>
int n = 33;

int main(void) {
  unsigned x = 1u << n;
  assert(x == 0);
  return 0;
}
