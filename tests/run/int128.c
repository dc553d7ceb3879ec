/* 128-bit integers. */
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void show(u128 x) {
    printf("%016llx%016llx\n", (unsigned long long)(x >> 64), (unsigned long long)x);
}

int main(void) {
    volatile u128 a = ((u128)0x123456789abcdef0ULL << 64) | 0xfedcba9876543210ULL;
    volatile i128 b = -(i128)1000000007 * 1000000009 * 1000003;
    show(a * 3);
    show((u128)b);
    show((u128)(b / 12345));
    show((u128)(b % 12345));
    show(a / 1000000007);
    show(a % 1000000007);
    show((u128)(b >> 70));
    show(a << 65);
    show(a >> 65);
    printf("%d %d %d\n", b < 0, a > (u128)b, (int)(b == -b));
    printf("%lld %g %g\n", (long long)b, (double)b, (double)a);
    printf("%lld\n", (long long)(i128)-1.5e20);
    i128 f = 1;
    for (int i = 1; i <= 33; i++) f *= i;
    show((u128)f);
    return (int)sizeof(i128);
}
