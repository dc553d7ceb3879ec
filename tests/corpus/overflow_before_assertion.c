// expect: true --property assert
// Only a sum that overflows is not above its summand: such a run shows nothing.
#include <assert.h>
extern int input(void);

int main(void) {
  int x = input();
  if (x > 10) {
    x += 5;
    assert(x > 15);
  }
  return 0;
}
