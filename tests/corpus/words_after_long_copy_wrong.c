// expect: false(assert) --property assert
// A copy that begins in the middle of an element does not bring elements.
#include <stdlib.h>
#include <string.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assert(int);

int main(void) {
  unsigned long n = __VERIFIER_nondet_ulong();
  if (n < 20 || n > 400 || n % 4 != 0)
    return 0;
  unsigned *a = malloc(n + 4), *b = malloc(n);
  if (!a || !b)
    return 0;
  a[0] = 0x01020304;
  a[1] = 0x01020304;
  b[0] = 0;
  memcpy(b, (char *)a + 2, n);
  __VERIFIER_assert(b[0] != 0x03040102);
  return 0;
}
