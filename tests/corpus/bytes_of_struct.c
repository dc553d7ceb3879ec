// expect: true --property assert
// Bytes of a structure through a character pointer: writing one member leaves the bytes of another.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct s {
  uint32_t a;
  uint64_t b;
};

int main(void) {
  struct s x;
  x.a = __VERIFIER_nondet_uint();
  x.b = 7;
  const uint8_t *p = (const uint8_t *)&x;
  unsigned i = __VERIFIER_nondet_uint();
  if (i >= sizeof x.a)
    return 0;
  uint8_t v = p[i];
  x.b = 9;
  assert(p[i] == v);
  return 0;
}
