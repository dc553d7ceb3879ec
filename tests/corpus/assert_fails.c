// expect: false(assert) --property assert
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) assert(x != 4711);
  return 0;
}
