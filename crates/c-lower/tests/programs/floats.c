#include <stdio.h>
#include <math.h>
float f = 0.1f; double d = 1.0 / 3; long double l = 1.25L; double table[] = { 1e300, -0.0, 0x1.8p3, 5e-324 };
static float half(float x) { return x / 2; }
static double mix(int i, float g, double h, long double k) { return i + g * h - k; }
int main(void) {
  printf("%.9g %.17g %.20Lg\n", f + 0.2, d * 3, l / 3);
  printf("%g %g %g %d\n", half(3), mix(1, 2.5, 3, 4), table[0] * table[0], table[1] == 0);
  printf("%d %d %d %u\n", (int)3.99, (int)-3.99, (int)(char)65.7, (unsigned)3e9);
  printf("%g %g %g %g %g\n", sqrt(2), floor(-1.5), ceil(-1.5), fabs(-2), trunc(2.7));
  double nan = __builtin_nan(""), inf = HUGE_VAL; printf("%d %d %d %d %d\n", nan == nan, nan != nan, nan < 1, isnan(nan), isinf(inf));
  printf("%d %d %d\n", inf > 1e308, !isfinite(inf), signbit(table[1]) != 0);
  float acc = 0; for (int i = 0; i < 100; i++) acc += 0.1f; printf("%.9g\n", acc);
  d++; f--; l *= 2; printf("%g %g %Lg %d\n", d, f, l, d > f);
  printf("%.17g %.17g\n", (double)0.1f, (float)16777217); printf("%g %d\n", round(2.5) + rint(2.5), (long)1e18 == 1000000000000000000L);
  unsigned long big = 0xffffffffffffffffUL; printf("%g %g\n", (double)big, (float)big); printf("%g %g\n", fmin(1, 2), fmax(1, nan));
  return d ? 3 : 4;
}
