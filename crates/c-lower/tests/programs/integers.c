#include <stdio.h>
#include <limits.h>
unsigned char uc = 250; signed char sc = 127; short sh = -1; unsigned un = 3; long lo = LONG_MIN; unsigned long ul = ULONG_MAX;
int main(void) {
  uc += 10; sc++; printf("%d %d %d %d\n", uc, sc, (short)40000, (char)200);
  printf("%u %d %lld %d %d\n", un - 4, -7 / 2, -7LL % 3, un - 4 > 0, sh < un);
  printf("%d %d %d %ld %lu\n", -1 >> 1, 1 << 30, (int)(-1U >> 28), lo >> 62, ul >> 60);
  printf("%d %d %d\n", (unsigned char)-1 == 255, -1 < 1u, (long)-1 < 1u);
  printf("%ld %lu %d\n", lo + 1, ul * ul, (int)ul);
  int x = 5; x += x++ * 0 + 3; x <<= 2; x ^= 0x55; x |= 0x100; x &= ~4; x %= 100; printf("%d %d %d\n", x, ~x, !x);
  unsigned char a = 200, b = 100; printf("%d %d\n", a + b, (unsigned char)(a + b)); a /= 3; b -= 101; a <<= 3; printf("%d %d\n", a, b);
  _Bool bo = 42; bo += 5; printf("%d %d ", bo, (_Bool)0.5); bo--; printf("%d ", bo); bo--; printf("%d\n", bo);
  __int128 big = (__int128)1 << 100; big /= 7; unsigned __int128 ub = -1; printf("%llx %d\n", (unsigned long long)(big >> 40), (int)(ub >> 120));
  int ov; unsigned uo; printf("%d %d ", __builtin_add_overflow(INT_MAX, 1, &ov), ov); printf("%d %u ", __builtin_sub_overflow(1u, 2u, &uo), uo); printf("%d %d\n", __builtin_mul_overflow(3, 4, &ov), ov);
  printf("%d %d %d %d %d\n", __builtin_popcount(un + 252), __builtin_clz(un), __builtin_ctz(un + 5), __builtin_ffs(un - 3), __builtin_parity(un + 4));
  printf("%x %llx %d\n", __builtin_bswap32(un), __builtin_bswap64(un), __builtin_bswap16(un));
  enum E { A, B = 5, C, D = -1 } e = D; enum F { P = 1, Q } f = Q; printf("%d %d %d %zu\n", e, C, f - 3 < 0, sizeof 'a');
  printf("%d %d %zu %zu\n", 0x7fffffff, 0xffffffff > 0, sizeof 2147483648, sizeof 0xffffffff);
  long long ll = 1; for (int i = 0; i < 70; i++) ll = ll * 3 + i; printf("%lld\n", ll);
  printf("%d %d\n", _Generic(un, int: 1, unsigned: 2, default: 3), _Generic("s", char *: 4, default: 5));
  printf("%d\n", __builtin_types_compatible_p(typeof(un), unsigned) + 2 * __builtin_constant_p(3));
  return (x > 3 && (x = 2)) ? x ?: 7 : 9;
}
