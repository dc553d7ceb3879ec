// expect: false(assert) --property assert
// Two views of one byte: signed and unsigned; one value too many.
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

union u {
  signed char c;
  unsigned char u;
};

int main(void) {
  union u x;
  x.c = __VERIFIER_nondet_char();
  if (x.u > 0x7E)
    assert(x.c < 0);
  return 0;
}
