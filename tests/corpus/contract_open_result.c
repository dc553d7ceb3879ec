// expect: not-true --modular --property assert
// A pointer of which the contract says little may be the one that was given.
#include <assert.h>
/*@ requires \valid(place); assigns \nothing; ensures \valid(\result); */
int *same(int *place) { return place; }
int main(void) {
  int kept = 1;
  int *other = same(&kept);
  *other = 2;
  assert(kept == 1);
  return 0;
}
