#include "ring.h"
#include <assert.h>
#include <stdlib.h>

size_t nondet_size_t(void);
uint8_t nondet_uint8_t(void);

int main(void) {
  struct ring ring = {NULL, nondet_size_t(), nondet_size_t(), 0};
  __CPROVER_assume(ring.size <= 1 << 20);
  ring.cells = malloc(ring.size);
  __CPROVER_assume(ring_is_valid(&ring));

  uint8_t pushed = nondet_uint8_t(), popped;
  assert(ring_push(&ring, pushed));
  assert(ring_pop(&ring, &popped));
  assert(popped == pushed);
}
