// expect: false(assert) --property assert
// skip harness: the compiler has no such header
#include "smack.h"
#include <assert.h>
int main(void) {
  long long x = __VERIFIER_nondet_long_long();
  assume(x > 4294967296);
  assert(x != 4294967299);
  return 0;
}
