// expect: not-true --modular --property assert
// So may one that a function leaves in a variable lead to another variable.
#include <assert.h>
int level, *watched;
int *where(void) { return &level; }
/*@ assigns watched; ensures watched != \null; */
void watch(void) { watched = where(); }
int main(void) {
  watch();
  *watched = 3;
  assert(level == 0);
  return 0;
}
