// expect: false(assert) --property assert
// None of this is signed overflow: conversions, unsigned and atomic arithmetic wrap.
#include <assert.h>
#include <limits.h>

int main(void) {
  signed char c = 127;
  c++;
  unsigned u = 0;
  u--;
  int a = INT_MAX;
  __sync_fetch_and_add(&a, 1);
  short s = (short)70000;
  struct { int f : 3; } b = {3};
  b.f++;
  assert(!(c == -128 && u == UINT_MAX && a == INT_MIN && s == 4464 && b.f == -4));
  return 0;
}
