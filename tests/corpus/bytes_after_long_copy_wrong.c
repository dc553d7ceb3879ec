// expect: false(assert) --property assert --property valid-deref
// One byte behind a copy of unknown length is what it was before.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
extern size_t __VERIFIER_nondet_size_t(void);
extern void __VERIFIER_assert(int);

int main(void) {
  size_t n = __VERIFIER_nondet_size_t(), m = __VERIFIER_nondet_size_t();
  size_t i = __VERIFIER_nondet_size_t();
  if (n < 100 || n > 1000 || m >= n || i > m)
    return 0;
  uint8_t *to = calloc(n, 1), *from = malloc(n);
  if (!to || !from)
    return 0;
  memset(from, 1, n);
  memcpy(to, from, m);
  __VERIFIER_assert(to[i] == 1);
  return 0;
}
