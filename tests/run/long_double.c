/* long double: the x87 format, conversions and printing. */
#include <stdio.h>
#include <string.h>

static void bits(const char *name, long double x) {
    unsigned char b[sizeof x];
    memset(b, 0, sizeof b);
    memcpy(b, &x, 10);
    printf("%s ", name);
    for (int i = 9; i >= 0; i--) printf("%02x", b[i]);
    printf("\n");
}

int main(void) {
    volatile long double x = 0.1L, y = 3, zero = 0;
    volatile double d = 0.1;
    bits("0.1L", x);
    bits("0.1", d);
    bits("x/y", x / y);
    bits("x*y", x * y);
    bits("x+d", x + d);
    bits("x-d", x - d);
    bits("ull", 0xffffffffffffffffULL);
    bits("neg", -x);
    bits("nan", zero / zero);
    bits("max", 1.18973149535723176502e+4932L);
    printf("%d %d %d\n", x == d, x < y, x != x);
    printf("%.20Lf %Lg %Le %La\n", x, x / y, y, x);
    printf("%d %lld %u\n", (int)(x * 100), (long long)(y * 1e17L), (unsigned)4e9L);
    double back = x;
    float single = x;
    printf("%.17g %.9g\n", back, single);
    long double sum = 0;
    for (int k = 1; k <= 100; k++) sum += 1.0L / k;
    bits("sum", sum);
    long double a[2] = {1.5L, -2.5L};
    struct { char c; long double l; } s = {'c', 7.25L};
    printf("%Lg %Lg %Lg %d\n", a[0], a[1], s.l, (int)(s.l * 2));
    return 0;
}
