// expect: true
#include "smack.h"
#include <assert.h>
int main(void) {
  unsigned char c = __VERIFIER_nondet_unsigned_char();
  int x = __VERIFIER_nondet_signed_int();
  assume(x > INT_MAX - 3);
  assert(c <= 255 && x != 5);
  return 0;
}
