/* Shifts and bit operations at the limits of their types. */
#include <stdio.h>

static unsigned rotate(unsigned x, int n) { return x << n | x >> (32 - n); }

static int population(unsigned long long x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

int main(void) {
    volatile int one = 1, minus = -1, amount = 31;
    volatile unsigned char byte = 0x80;
    volatile short word = -2;
    volatile unsigned long long wide = 1;
    printf("%d %d %d\n", one << 30, minus >> 31, minus >> amount);
    printf("%u %u\n", 1u << amount, 0x80000000u >> amount);
    printf("%d %d %d\n", byte << 1, byte >> 7, (signed char)byte >> 3);
    printf("%d %d\n", word << 3, word >> 1);
    printf("%llx %llx %lld\n", wide << 63, (wide << 63) >> 62, (long long)(wide << 63) >> 62);
    printf("%x %x\n", rotate(0x12345678, 8), rotate(0x80000001, 1));
    printf("%d %d\n", population(0xffffffffffffffffULL), population(0x8000000100000001ULL));
    printf("%x %x %x\n", ~0u >> 4, ~byte, (unsigned char)~byte);
    printf("%d %d %d\n", 6 & 3, 6 | 3, 6 ^ 3);
    printf("%d %d\n", -1 & 0xff, -256 | 1);
    byte >>= 3;
    byte |= 1;
    word <<= 2;
    word ^= 0x7f;
    printf("%d %d\n", byte, word);
    printf("%d %d\n", 1 << 3 + 1, (5 & 4) == 4);
    unsigned crc = 0xffffffff;
    for (const char *p = "123456789"; *p; p++) {
        crc ^= (unsigned char)*p;
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    printf("%08x\n", ~crc);
    return 0;
}
