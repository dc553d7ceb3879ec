/* For freestanding ILP32 executables; see ../ilp32.c. */
#ifndef _MATH_H
#define _MATH_H
double sqrt(double);
double floor(double);
double ceil(double);
double trunc(double);
double round(double);
double fabs(double);
float fabsf(float);
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define signbit(x) __builtin_signbit(x)
#endif
