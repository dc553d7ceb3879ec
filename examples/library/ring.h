// A ring buffer of bytes over memory that the caller owns.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
  uint8_t *cells;
  size_t size;  // of `cells`
  size_t first; // the oldest byte
  size_t count; // of bytes that are in it
};

bool ring_is_valid(const struct ring *ring);
bool ring_push(struct ring *ring, uint8_t byte); // false when it is full
bool ring_pop(struct ring *ring, uint8_t *byte); // false when it is empty
