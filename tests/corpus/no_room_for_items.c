// expect: false(assert) -p assert
// As room_for_items, but the index may be the length.
#include <assert.h>
#include <stddef.h>

size_t input(void);

int main(void) {
  size_t length = input(), item = input(), size = input(), index = input(), needed;
  if (item == 0 || __builtin_mul_overflow(length, item, &needed)) {
    return 0;
  }
  if (needed > size || index > length) {
    return 0;
  }
  assert(index * item < size);
  return 0;
}
