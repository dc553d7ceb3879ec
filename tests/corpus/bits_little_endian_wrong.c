// expect: false(assert) --property assert
// As bits_big_endian.c, with two bytes in the wrong order.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  uint32_t x = __VERIFIER_nondet_uint(), y;
  uint8_t b[4] = {x >> 24, x >> 8, x >> 16, x};
  y = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  assert(x == y);
  return 0;
}
