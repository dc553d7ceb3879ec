// expect: true
// A section whose name only begins like one that the start of the program runs.
#include <assert.h>
static int x;
static int __attribute__((section(".init.text"))) init(void) { return x++; }
int main(void) {
  assert(x == 0);
  assert(init() == 0 && x == 1);
  return 0;
}
