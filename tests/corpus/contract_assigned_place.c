// expect: not-true --modular --property assert
// Which cell is assigned is said of the state before the call.
#include <assert.h>
int at, cells[10];
/*@ requires 0 <= at < 10; assigns at, cells[at]; ensures at == 5; */
void step(void) {
  cells[at] = 1;
  at = 5;
}
int main(void) {
  at = 3;
  step();
  assert(cells[3] == 0);
  return 0;
}
