// expect: true
#include "__fc_builtin.h"
int main(void) {
  int x = Frama_C_interval(-2, 9);
  unsigned char c = Frama_C_unsigned_char_interval(7, 250);
  __VERIFIER_assert(x >= -2 && x <= 9);
  __VERIFIER_assert(c + x > 4);
  return 0;
}
