#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
struct P { int x; short y; }; struct Big { int a[5]; char c; };
typedef int (*fn)(int, int);
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
static fn table[] = { add, sub, [3] = add };
static fn pick(int i) { return i ? sub : add; }
static int apply(fn f, int a, int b) { return f(a, b); }
static struct P swap(struct P p) { struct P q = { p.y, p.x }; return q; }
static struct Big fill(struct Big b, int n) { for (int i = 0; i < 5; i++) b.a[i] += n; b.c = 'x'; return b; }
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); return s; }
static double mixed(const char *f, ...) { va_list ap, aq; double s = 0; va_start(ap, f); va_copy(aq, ap); for (; *f; f++) { if (*f == 'i') s += va_arg(ap, int); else if (*f == 'd') s += va_arg(ap, double); else if (*f == 'l') s += va_arg(ap, long); else if (*f == 's') s += *va_arg(ap, char *); else { struct Big b = va_arg(ap, struct Big); s += b.a[1]; } } s += va_arg(aq, int); va_end(ap); va_end(aq); return s; }
static int vsum(int n, va_list ap) { int s = 0; while (n--) s = s * 10 + va_arg(ap, int); return s; }
static int outer(int n, ...) { va_list ap; va_start(ap, n); int r = vsum(n, ap); va_end(ap); return r; }
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static int even(int n); static int odd(int n) { return n == 0 ? 0 : even(n - 1); } static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int kr(a, b, c) int a; char b; double c; { return a + b + (int)c; }
static int counter(void) { static int c = 40; static int arr[2] = { 1 }; arr[0]++; return ++c + arr[0]; }
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int order(int x) { printf("%d ", x); return x; }
static int twice(int *p) { *p *= 2; return *p; }
int main(void) {
  printf("%d %d %d %d %d\n", table[0](3, 4), table[1](3, 4), (*table[3])(1, 1), apply(pick(1), 9, 4), (&add)(2, 2));
  struct P p = swap((struct P){ 3, 4 }); printf("%d %d %d\n", p.x, p.y, swap(p).y);
  struct Big b = { { 1, 2, 3 } }, c = fill(b, 10); printf("%d %d %d %c\n", b.a[1], c.a[1], fill(c, 1).a[4], c.c);
  printf("%d %g %d\n", sum(4, 1, 2, 3, 4), mixed("idlsb", 1, 2.5, 7L, "A", c), outer(3, 1, 2, 3));
  printf("%d %d %d %d\n", fact(10), even(10), kr(1, 'a', 2.9), (counter(), counter()));
  int v[] = { 5, 3, 9, 1 }; qsort(v, 4, sizeof *v, compare); printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
  printf("%d\n", order(1) + order(2) * order(3)); printf("%d %d\n", order(4), order(5));
  int g = 3; int r = g - twice(&g); printf("%d ", r); r = g; r += twice(&g); printf("%d %d\n", r, v[1]);
  return fact(5) % 100;
}
