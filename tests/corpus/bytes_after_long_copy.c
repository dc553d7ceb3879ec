// expect: true --property assert --property valid-deref
// What a byte is after copies and fills of unknown length: inside of the range, beside it, and after two of them.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern size_t __VERIFIER_nondet_size_t(void);
extern void __VERIFIER_assert(int);

int main(void) {
  size_t n = __VERIFIER_nondet_size_t(), m = __VERIFIER_nondet_size_t();
  size_t at = __VERIFIER_nondet_size_t(), i = __VERIFIER_nondet_size_t();
  if (n == 0 || n > 1000000 || m > n || at > n - m)
    return 0;
  uint8_t *to = malloc(n), *from = malloc(n), *third = malloc(n);
  if (!to || !from || !third)
    return 0;
  if (i >= n)
    return 0;
  uint8_t before = to[i];
  memcpy(to + at, from, m);
  if (i >= at && i - at < m)
    __VERIFIER_assert(to[i] == from[i - at]);
  else
    __VERIFIER_assert(to[i] == before);
  memcpy(third, to, m);
  if (i < m)
    __VERIFIER_assert(third[i] == to[i]);
  memset(to + at, 7, m);
  if (i >= at && i - at < m)
    __VERIFIER_assert(to[i] == 7);
  return 0;
}
