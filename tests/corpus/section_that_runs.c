// expect: unknown
// The start of the program runs through this section: who knows how often the function was there.
#include <assert.h>
static int x;
static void __attribute__((section(".init"))) init(void) { x++; }
int main(void) {
  init();
  assert(x == 1);
  return 0;
}
