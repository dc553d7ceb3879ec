// expect: false(assert) --property assert
// skip harness: not every compiler has this builtin
#include <assert.h>
int main(void) {
  unsigned char byte = 16;
  assert(__builtin_clzg(byte, 8) == 27);
  return 0;
}
