#include "ring.h"
#include <assert.h>
#include <stdlib.h>

size_t nondet_size_t(void);
uint8_t nondet_uint8_t(void);

int main(void) {
  struct ring ring = {NULL, nondet_size_t(), nondet_size_t(), nondet_size_t()};
  __CPROVER_assume(ring.size <= 1 << 20);
  ring.cells = malloc(ring.size);
  __CPROVER_assume(ring_is_valid(&ring));

  struct ring before = ring;
  uint8_t byte = nondet_uint8_t();
  if (ring_push(&ring, byte)) {
    assert(ring.count == before.count + 1);
    assert(ring.first == before.first);
  } else {
    assert(before.count == before.size);
  }
  assert(ring_is_valid(&ring));
}
