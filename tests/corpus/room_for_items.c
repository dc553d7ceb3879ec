// expect: true -p assert
// skip bounded: its products are those of the machine, and the guessed facts have those of numbers
// An index below the length is below the size once both are multiplied by the size of an item.
#include <assert.h>
#include <stddef.h>

size_t input(void);

int main(void) {
  size_t length = input(), item = input(), size = input(), index = input(), needed;
  if (item == 0 || __builtin_mul_overflow(length, item, &needed)) {
    return 0;
  }
  if (needed > size || index >= length) {
    return 0;
  }
  assert(index * item < size);
  return 0;
}
