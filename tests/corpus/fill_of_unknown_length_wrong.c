// expect: false(assert) --property assert
// memset of all of an object whose size is an input, and of too few bytes.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong(), i = __VERIFIER_nondet_ulong();
  if (n == 0 || n > 1ul << 30 || i >= n)
    return 0;
  unsigned char *a = malloc(n), b[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  memset(a, 3, n);
  assert(a[i] == 3);
  if (n < 5) {
    memset(b, 0, n);
    assert(b[0] == 0 && b[3] == 1);
  }
  return 0;
}
