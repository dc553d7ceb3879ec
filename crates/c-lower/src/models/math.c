// <math.h>: what can be said with the functions that are operations.

int __bolide_exponent(double);
int __bolide_exponentf(float);
int __bolide_exponentl(long double);
double scalbn(double, int); float scalbnf(float, int); long double scalbnl(long double, int);
double trunc(double); float truncf(float); long double truncl(long double);
double copysign(double, double); float copysignf(float, float);
long double copysignl(long double, long double);
double fabs(double); float fabsf(float); long double fabsl(long double);
double rint(double); float rintf(float); long double rintl(long double);
double round(double); float roundf(float); long double roundl(long double);

void __bolide_check_text(const char *);
double __bolide_unmodelled_double(void);
void __bolide_assume(int);

static int __bolide_finite(long double x) { return x - x == 0; }

double fdim(double a, double b) { return a <= b ? 0 : a - b; }
float fdimf(float a, float b) { return a <= b ? 0 : a - b; }
long double fdiml(long double a, long double b) { return a <= b ? 0 : a - b; }

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(__bolide_finite(x) || x != x ? x - *whole : 0, x);
}
float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(__bolide_finite(x) || x != x ? x - *whole : 0, x);
}
long double modfl(long double x, long double *whole) {
  *whole = truncl(x);
  return copysignl(__bolide_finite(x) || x != x ? x - *whole : 0, x);
}

double frexp(double x, int *exponent) {
  *exponent = x == 0 || !__bolide_finite(x) ? 0 : __bolide_exponent(x) + 1;
  return x == 0 || !__bolide_finite(x) ? x : scalbn(x, -*exponent);
}
float frexpf(float x, int *exponent) {
  *exponent = x == 0 || !__bolide_finite(x) ? 0 : __bolide_exponentf(x) + 1;
  return x == 0 || !__bolide_finite(x) ? x : scalbnf(x, -*exponent);
}
long double frexpl(long double x, int *exponent) {
  *exponent = x == 0 || !__bolide_finite(x) ? 0 : __bolide_exponentl(x) + 1;
  return x == 0 || !__bolide_finite(x) ? x : scalbnl(x, -*exponent);
}

double logb(double x) {
  if (x == 0) return -1 / 0.0;
  return __bolide_finite(x) ? __bolide_exponent(x) : x * x;
}
float logbf(float x) {
  if (x == 0) return -1 / 0.0f;
  return __bolide_finite(x) ? __bolide_exponentf(x) : x * x;
}
long double logbl(long double x) {
  if (x == 0) return -1 / 0.0L;
  return __bolide_finite(x) ? __bolide_exponentl(x) : x * x;
}

long lrint(double x) { return rint(x); }
long long llrint(double x) { return rint(x); }
long lrintf(float x) { return rintf(x); }
long long llrintf(float x) { return rintf(x); }
long lrintl(long double x) { return rintl(x); }
long long llrintl(long double x) { return rintl(x); }
long lround(double x) { return round(x); }
long long llround(double x) { return round(x); }
long lroundf(float x) { return roundf(x); }
long long llroundf(float x) { return roundf(x); }
long lroundl(long double x) { return roundl(x); }
long long llroundl(long double x) { return roundl(x); }

// The numbers of glibc.
enum { FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL };
int __fpclassify(double x) {
  return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}
int __fpclassifyf(float x) {
  return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}
int __fpclassifyl(long double x) {
  return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x);
}

// No number, with bits that the text says in a way of the system's own.
double nan(const char *text) {
  __bolide_check_text(text);
  if (*text == 0) return __builtin_nan("");
  double x = __bolide_unmodelled_double();
  __bolide_assume(x != x);
  return x;
}
float nanf(const char *text) { return nan(text); }
long double nanl(const char *text) { return nan(text); }

// To the nearest whole number, halves to the even one, in whatever direction the rest rounds.
double roundeven(double x) {
  double whole = round(x);
  return fabs(whole - x) == 0.5 ? 2 * round(x / 2) : whole;
}
float roundevenf(float x) {
  float whole = roundf(x);
  return fabsf(whole - x) == 0.5 ? 2 * roundf(x / 2) : whole;
}
long double roundevenl(long double x) {
  long double whole = roundl(x);
  return fabsl(whole - x) == 0.5 ? 2 * roundl(x / 2) : whole;
}

// <fenv.h>: in which direction operations round, by the numbers of x86. Lowering gives it to each of them.
static int __bolide_rounding = 0;
int fegetround(void) { return __bolide_rounding; }
int fesetround(int direction) {
  if (direction & ~0xc00) return 1;
  __bolide_rounding = direction;
  return 0;
}
