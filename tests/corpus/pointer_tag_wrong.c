// expect: false(assert) --property assert
// A pointer that carries a tag in its lowest bit moved by one cell is another cell.
#include <assert.h>
#include <stdint.h>

int cell = 7;

int main(void) {
  int local[3] = {1, 2, 3};
  uintptr_t tagged = (uintptr_t)&cell | 1;
  int *p = (int *)(tagged & ~(uintptr_t)1);
  assert(*p == 7);
  uintptr_t u = (uintptr_t)local;
  u += 8;
  u -= 0;
  int *q = (int *)u;
  *q = 5;
  assert(local[1] == 5);
  return 0;
}
