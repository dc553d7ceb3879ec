// expect: true
// skip impact: shifts by each of 64 counts are slow in formulas; the only run shows it
// skip predicate: shifts by each of 64 counts are slow in formulas; the only run shows it
// skip trace: shifts by each of 64 counts are slow in formulas; the only run shows it
// Builtins that count in the width of their operand, and those that turn bits around.
#include <assert.h>
int main(void) {
  unsigned char byte = 16;
  unsigned long long wide = 1ull << 40;
  assert(__builtin_clzg(byte, 99) == 3 && __builtin_ctzg(byte) == 4);
  assert(__builtin_clzg((unsigned short)0, -7) == -7 && __builtin_popcountg(wide) == 1);
  assert(__builtin_clzg(wide) == 23 && __builtin_clzs(1) == 15 && __builtin_ctzs(0x8000) == 15);
  assert(__builtin_bitreverse8(byte) == 8 && __builtin_bitreverse16(3) == 0xc000);
  assert(__builtin_bitreverse32(2) == 1u << 30 && __builtin_bitreverse64(wide) == 1ull << 23);
  return 0;
}
