// expect: false(assert) --property assert
// memcpy of all of an object whose size is an input, and of a few cells.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong(), i = __VERIFIER_nondet_ulong();
  if (n == 0 || n > 1ul << 30 || i >= n)
    return 0;
  unsigned char *a = malloc(n), *b = malloc(n);
  memcpy(a, b, n);
  assert(a[i] == b[i]);
  int from[6] = {1, 2, 3, 4, 5, 6}, to[6] = {0};
  if (n == 3 || n == 4) {
    memcpy(to, from, n * sizeof(int));
    assert(to[2] == 3 && to[3] == 0);
  }
  return 0;
}
