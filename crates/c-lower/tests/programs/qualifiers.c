#include <stdio.h>
#include <stddef.h>
#include <ctype.h>
#include <stdbool.h>
static volatile int vol = 3; static const int limit = 4; static const struct { int a, b; } pair = { 1, 2 };
typedef struct { volatile int v; int w; } mixed; _Static_assert(sizeof(int) == 4, "int");
extern int later; int tentative; int tentative; static int forward(int); struct later_s; static int use(struct later_s *);
struct later_s { int q; }; static int use(struct later_s *s) { return s->q; } static int forward(int x) { extern int later; return x + later; } int later = 5;
#define MAX(a, b) ({ typeof(a) _a = (a); __auto_type _b = (b); _a > _b ? _a : _b; })
struct sh { int v; } shadow = { 1 };
int main(void) {
  int s = 0; for (int i = 0; i < limit; i++) { vol += i; s += vol; } printf("%d %d %d\n", s, vol, pair.b);
  mixed m = { 1, 2 }; m.v++; printf("%d\n", m.v + m.w); struct later_s ls = { 6 }; printf("%d %d %d\n", use(&ls), forward(1), tentative);
  printf("%d %g\n", MAX(3, 7), MAX(2.5, 1)); int shadow = 3; { struct sh { char c; } shadow = { 'x' }; printf("%c %zu\n", shadow.c, sizeof(struct sh)); } printf("%d\n", shadow);
  printf("%d %d %d %c\n", !!isalpha('q'), !!isdigit('q'), !!isspace('\t'), toupper('b')); bool ok = isupper('A'); printf("%d\n", ok);
  int a = 1, b = 2; int *const p = &a, **pp = (int **)&p; **pp = 10; int *q = a > b ? &a : &b; *q += 5; printf("%d %d\n", a, b);
  register int r = 4; { int a = r; { int a = 6; r += a; } r += a; } printf("%d %zu\n", r, offsetof(mixed, w));
  size_t n = sizeof(int[3]) + _Alignof(double) + sizeof(vol++); printf("%zu %d\n", n, vol); __sync_fetch_and_add(&a, 3); printf("%d %d\n", a, __atomic_load_n(&a, 0));
  char c = 'a'; c = c + 1; printf("%c %d %d\n", c, 'ab', '\377'); goto end; { int skipped = 1; end: skipped = 2; printf("%d\n", skipped); }
  return (int)(&((mixed *)0)->w - (int *)0);
}
