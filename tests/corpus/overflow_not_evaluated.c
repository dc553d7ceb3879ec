// expect: false(assert) --property assert
// The sum that would overflow is in the arm that is not taken.
#include <assert.h>
#include <limits.h>
int c = 1, x = INT_MAX;

int main(void) {
  int y = c ? x : x + 1;
  int z = !c && x + 1 > 0;
  assert(y != INT_MAX || z);
  return 0;
}
