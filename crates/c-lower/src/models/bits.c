// Bit-counting and byte-swapping builtins. Each computes in its own type.

unsigned short __builtin_bswap16(unsigned short x) { return x << 8 | x >> 8; }

unsigned __builtin_bswap32(unsigned x) {
  return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

unsigned long long __builtin_bswap64(unsigned long long x) {
  return (unsigned long long)__builtin_bswap32(x) << 32 | __builtin_bswap32(x >> 32);
}

int __builtin_popcountll(unsigned long long x) {
  int n = 0;
  for (; x != 0; x &= x - 1) n++;
  return n;
}
int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
int __builtin_popcount(unsigned x) { return __builtin_popcountll(x); }

int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
int __builtin_parityl(unsigned long x) { return __builtin_popcountll(x) & 1; }
int __builtin_parity(unsigned x) { return __builtin_popcountll(x) & 1; }

// Undefined for 0, like the hardware's; all ones are what is counted there.
int __builtin_ctzll(unsigned long long x) {
  int n = 0;
  while (n < 64 && (x >> n & 1) == 0) n++;
  return n;
}
int __builtin_ctzl(unsigned long x) { return __builtin_ctzll(x); }
int __builtin_ctz(unsigned x) {
  int n = 0;
  while (n < 32 && (x >> n & 1) == 0) n++;
  return n;
}

int __builtin_clzll(unsigned long long x) {
  int n = 0;
  while (n < 64 && (x >> (63 - n) & 1) == 0) n++;
  return n;
}
int __builtin_clzl(unsigned long x) {
  int n = 0, width = 8 * sizeof(long);
  while (n < width && (x >> (width - 1 - n) & 1) == 0) n++;
  return n;
}
int __builtin_clz(unsigned x) {
  int n = 0;
  while (n < 32 && (x >> (31 - n) & 1) == 0) n++;
  return n;
}

// Of clang: counted in 16 bits; and the bits in reverse order, by halves that change places.
int __builtin_ctzs(unsigned short x) { return x == 0 ? 16 : __builtin_ctz(x); }
int __builtin_clzs(unsigned short x) { return __builtin_clz(x) - 16; }

unsigned char __builtin_bitreverse8(unsigned char x) {
  x = x << 4 | x >> 4;
  x = (x & 0x33) << 2 | (x >> 2 & 0x33);
  return (x & 0x55) << 1 | (x >> 1 & 0x55);
}
unsigned short __builtin_bitreverse16(unsigned short x) {
  return __builtin_bitreverse8(x) << 8 | __builtin_bitreverse8(x >> 8);
}
unsigned __builtin_bitreverse32(unsigned x) {
  return (unsigned)__builtin_bitreverse16(x) << 16 | __builtin_bitreverse16(x >> 16);
}
unsigned long long __builtin_bitreverse64(unsigned long long x) {
  return (unsigned long long)__builtin_bitreverse32(x) << 32 | __builtin_bitreverse32(x >> 32);
}

int __builtin_clrsb(int x) { return x == 0 || x == -1 ? 31 : __builtin_clz(x < 0 ? ~x : x) - 1; }
int __builtin_clrsbll(long long x) {
  return x == 0 || x == -1 ? 63 : __builtin_clzll(x < 0 ? ~x : x) - 1;
}

int __builtin_ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int __builtin_ffsl(long x) { return x == 0 ? 0 : __builtin_ctzl(x) + 1; }
int __builtin_ffs(int x) { return x == 0 ? 0 : __builtin_ctz(x) + 1; }
int ffs(int x) { return __builtin_ffs(x); }
int ffsl(long x) { return __builtin_ffsl(x); }
int ffsll(long long x) { return __builtin_ffsll(x); }
