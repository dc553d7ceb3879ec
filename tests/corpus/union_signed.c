// expect: true --property assert
// Two views of one byte: signed and unsigned.
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

union u {
  signed char c;
  unsigned char u;
};

int main(void) {
  union u x;
  x.c = __VERIFIER_nondet_char();
  if (x.u > 0xC1 && x.u < 0xF5)
    assert(x.c < 0);
  return 0;
}
