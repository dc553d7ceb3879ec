// expect: not-true --property assert
#include <assert.h>
#include <stdint.h>
static int a, b;

int main(void) {
  assert((uintptr_t)&a % 64 == (uintptr_t)&b % 64 || &a < &b);
  return 0;
}
