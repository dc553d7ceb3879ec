// expect: not-true --modular --property assert
#include <assert.h>
int level, *to_level = &level;
void reset(int *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p))
__CPROVER_assigns(level, *p)
__CPROVER_ensures(level == 0)
{
  level = 0;
  *p = 1;
}
int main(void) {
  reset(to_level);
  assert(level == 0);
  return 0;
}
