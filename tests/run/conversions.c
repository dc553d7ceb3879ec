/* Integer promotions, usual conversions, limits, signs, enumerations, _Bool. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

enum small { A = -1, B = 1 };
enum large { C = 3000000000u };

int main(void) {
    signed char sc = -128;
    unsigned char uc = 255;
    short s = SHRT_MIN;
    unsigned short us = USHRT_MAX;
    int i = INT_MIN;
    unsigned u = UINT_MAX;
    long l = LONG_MIN;
    unsigned long ul = ULONG_MAX;
    long long ll = LLONG_MIN;
    unsigned long long ull = ULLONG_MAX;
    char c = (char)200;
    printf("%d %d %d %d\n", sc - 1, uc + 1, s - 1, us + 1);
    printf("%d %d %d\n", -1 < 1u, (long long)-1 < 1u, sc < uc);
    printf("%d %d\n", -1L < 1u, (unsigned char)-1 == 255);
    printf("%u %llu %lld\n", (unsigned)sc, (unsigned long long)sc, (long long)u);
    printf("%d %d %d %d\n", (signed char)uc, (short)us, (int)u, (signed char)0x180);
    printf("%d %ld %lld\n", ~i, ~l, ~ll);
    printf("%u %lu %llu\n", u + 1, ul + 1, ull + 2);
    printf("%d %d\n", c, c < 0);
    printf("%d %d\n", 'a' - 'A', '\xff');
    uc += 10; sc -= 1; us *= us; s = s - 1;
    printf("%d %d %d %d\n", uc, sc, us, s);
    uc = 1; uc <<= 9; sc = 127; sc++;
    printf("%d %d\n", uc, sc);
    unsigned char x = 200, y = 100;
    printf("%d %d %d\n", x + y, (unsigned char)(x + y), x - 2 * y < 0);
    printf("%d %d %u\n", -7 / 2, -7 % 2, (unsigned)-7 / 2);
    printf("%d %d\n", INT_MAX / -1, (INT_MIN + 1) / -1);
    printf("%llu\n", (unsigned long long)-1 % 1000);
    bool t = 256, f = 0.0, p = &i != 0;
    t += 5;
    printf("%d %d %d %d %d\n", t, f, p, !t, (bool)"x");
    t--; 
    printf("%d\n", t);
    enum small e = A;
    printf("%d %d %d\n", e < 0, e + B, (int)sizeof(enum large));
    printf("%d %d\n", C > 0, (int)sizeof(C));
    printf("%d %d %d %d %d\n", (int)sizeof(char), (int)sizeof(short), (int)sizeof(int), (int)sizeof(long long), (int)sizeof('a'));
    printf("%d %d\n", (int)sizeof(uc + uc), (int)sizeof(1 ? uc : uc));
    printf("%lld\n", 1 ? -1 : 1u == 0 ? 0 : 0LL);
    printf("%lld %d\n", (long long)(1 ? -1 : 1u), (1 ? -1 : (char)1));
    printf("%d %d %d\n", 0x7fffffff == INT_MAX, 0xffffffff > 0, 2147483648 > 0);
    printf("%d %d\n", 0x80000000 == 2147483648u, -2147483648 < 0);
    int a = 5;
    a += a++ * 0 + 3;
    long long mixed = i;
    mixed -= u;
    printf("%d %lld\n", a, mixed);
    unsigned char arr[3] = {255, 256 & 0xff, 1};
    int sum = 0;
    for (unsigned k = 3; k-- > 0;) sum = sum * 256 + arr[k];
    printf("%d\n", sum);
    return (char)0x1ff & 0xff;
}
