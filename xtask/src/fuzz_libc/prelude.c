#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>
static int sign(int v) { return (v > 0) - (v < 0); }
static long at(const void *from, const void *p) { return p ? (const char *)p - (const char *)from : -99; }
static long hash(const void *p, long n) {
  const unsigned char *b = p;
  unsigned long h = 7;
  for (long i = 0; i < n; i++) h = h * 31 + b[i];
  return h;
}
static long bits(double v) {
  long l;
  if (v != v) return 1;
  memcpy(&l, &v, 8);
  return l;
}
static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
