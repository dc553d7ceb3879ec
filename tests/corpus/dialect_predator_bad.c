// expect: false(assert) --property assert
// skip harness: the compiler has no such header
#include <verifier-builtins.h>
int main(void) {
  int x = __VERIFIER_nondet_int();
  ___sl_enable_debugging_of(___SL_EVERYTHING, 1);
  __VERIFIER_assert(x & 1 || x % 2 != 0 || x == 8);
  return 0;
}
