// expect: not-true --property assert
// A function without a body may keep what it is given, whatever it says that it assigns, and another may return it.
#include <assert.h>
/*@ assigns \nothing; */
void keep(int *place);
int *kept(void);
int main(void) {
  int level = 1;
  keep(&level);
  *kept() = 2;
  assert(level == 1);
  return 0;
}
