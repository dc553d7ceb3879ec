// expect: not-true --modular --property assert
// The body is proved for memory that only one pointer leads to.
#include <assert.h>
void both(int *p, int *q)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p) && __CPROVER_r_ok(q, sizeof *q) && __CPROVER_w_ok(q, sizeof *q))
__CPROVER_assigns(*p, *q)
__CPROVER_ensures(*q == 0)
{
  *q = 0;
  *p = 1;
}
int main(void) {
  int x;
  both(&x, &x);
  assert(x == 0);
  return 0;
}
