#include <stdio.h>
#include <string.h>
union U { int i; unsigned char b[4]; float f; struct { short lo, hi; } s; };
struct T { int tag; union { int n; double d; char c[8]; }; };
static union U table[] = { { 1 }, { .f = 2.0f }, { .b = { 1, 2, 3, 4 } } };
static double value(struct T t) { return t.tag == 0 ? t.n : t.tag == 1 ? t.d : t.c[1]; }
static struct T make(int tag) { struct T t = { tag }; if (tag == 1) t.d = 2.5; else if (tag == 2) strcpy(t.c, "ab"); else t.n = 9; return t; }
int main(void) {
  union U u; u.f = 1.5f; printf("%x %d %d %d\n", u.i, u.b[3], u.s.lo, u.s.hi);
  u.s.hi = -1; printf("%x\n", u.i);
  for (int i = 0; i < 3; i++) printf("%d ", table[i].i);
  union U v = u, *p = &v; p->b[0] = 0xff; printf("%x %x\n", u.i, v.i);
  for (int i = 0; i < 3; i++) printf("%g ", value(make(i)));
  struct T a[2] = { { 0, { 4 } }, { .tag = 1, .d = 1.25 } }; struct T t = a[1]; a[1].d = 0; printf("%g %g\n", value(t), value(a[0]));
  return 0;
}
