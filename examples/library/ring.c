#include "ring.h"

bool ring_is_valid(const struct ring *ring) {
  return ring->cells != NULL && ring->size > 0 && ring->first < ring->size && ring->count <= ring->size;
}

bool ring_push(struct ring *ring, uint8_t byte) {
  if (ring->count == ring->size)
    return false;
  size_t behind = ring->first + ring->count;
  if (behind >= ring->size)
    behind -= ring->size;
  ring->cells[behind] = byte;
  ring->count++;
  return true;
}

bool ring_pop(struct ring *ring, uint8_t *byte) {
  if (ring->count == 0)
    return false;
  *byte = ring->cells[ring->first];
  ring->first++;
  if (ring->first == ring->size)
    ring->first = 0;
  ring->count--;
  return true;
}
