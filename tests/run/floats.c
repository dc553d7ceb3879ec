/* float and double: rounding, conversions, comparisons, special values. */
#include <math.h>
#include <stdio.h>

static void bits(const char *name, double d) {
    union { double d; unsigned long long u; } v = {d};
    printf("%s %016llx\n", name, v.u);
}

static void fbits(const char *name, float f) {
    union { float f; unsigned u; } v = {f};
    printf("%s %08x\n", name, v.u);
}

int main(void) {
    volatile float f = 0.1f, g = 0.2f;
    volatile double d = 0.1, e = 0.2, zero = 0.0;
    fbits("f+g", f + g);
    fbits("f*g", f * g);
    fbits("f/g", f / 3);
    bits("d+e", d + e);
    bits("d-e", d - e);
    bits("d*e", d * e);
    bits("d/3", d / 3);
    bits("f as d", f);
    fbits("d as f", (float)d);
    bits("f*d", f * d);
    bits("1/3f", 1 / 3.0f);
    fbits("big", 16777217);
    fbits("ull", (float)0xffffffffffffffffULL);
    bits("ll", (double)0x7fffffffffffffffLL);
    bits("ull", (double)0x8000000000000401ULL);
    bits("neg0", -zero);
    bits("inf", 1 / zero);
    bits("nan", zero / zero);
    fbits("denormal", 1e-45f);
    bits("tiny", 5e-324 / 2);
    bits("huge", 1e308 * 10);
    printf("%d %d %d %d\n", d + e == 0.3, f == 0.1, f < d, zero == -zero);
    double nan = zero / zero;
    printf("%d %d %d %d %d\n", nan == nan, nan != nan, nan < 1, nan >= 1, !(nan < 1));
    printf("%d %d %d %d\n", (int)3.99, (int)-3.99, (int)2147483647.0, (int)f);
    printf("%u %lld %llu\n", (unsigned)3000000000.0, (long long)-1e15, (unsigned long long)1.8e19);
    printf("%d %d %d\n", (char)65.9, (unsigned char)200.5f, (short)-300.7);
    printf("%d %d\n", (_Bool)0.1, (_Bool)zero);
    int i = 7;
    i /= 2.5;
    printf("%d\n", i);
    i *= 1.5f;
    printf("%d\n", i);
    unsigned char c = 250;
    c += 3.7;
    printf("%d\n", c);
    d++;
    --f;
    bits("d++", d);
    fbits("--f", f);
    printf("%f %e %g %.3f %10.2f|%-10.1f|%+.0f\n", 3.14159, 314159.0, 1e-5, 2.0005, -1.005, 9.95, 0.5);
    printf("%g %g %g %g %G\n", 100000.0, 1000000.0, 0.0001, 123456789.0, 1e-10);
    printf("%a %.2a %f %F %e\n", 1.0, 0.1, 1 / zero, -1 / zero, -zero / 1);
    printf("%.15g %.17g %.20f\n", 0.1, 0.1, 0.1);
    bits("sqrt", sqrt(2.0));
    bits("floor", floor(-2.5));
    bits("ceil", ceil(-2.5));
    bits("trunc", trunc(-2.7));
    bits("round", round(2.5));
    bits("fabs", fabs(-1.25));
    printf("%d %d %d\n", isnan(nan) != 0, isinf(1 / zero) != 0, signbit(-zero) != 0);
    double sum = 0;
    for (int k = 1; k <= 1000; k++) sum += 1.0 / k;
    bits("sum", sum);
    float fsum = 0;
    for (int k = 1; k <= 1000; k++) fsum += 1.0f / k;
    fbits("fsum", fsum);
    return d > 1 ? 3 : 4;
}
