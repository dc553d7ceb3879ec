// expect: false(assert) --property assert
// The harness defines what has no body: `chance` returns what the run needs, `unasked` is only linked.
#include <assert.h>
short chance();
void unasked(int);
int main(void) {
  short x = chance(), y = chance();
  if (x == y) unasked(x);
  assert(x != 7 || y != -300);
  return 0;
}
