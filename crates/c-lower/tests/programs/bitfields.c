#include <stdio.h>
struct B { unsigned a:3; int b:5; unsigned c:12; signed char d; unsigned long e:40; _Bool f:1; };
struct W { unsigned long long x:33, y:31; int z:32; unsigned w:32; };
static struct B g = { 1, -1, 7, 2, 3, 1 };
static struct B pass(struct B b) { b.a++; b.b--; return b; }
int main(void) {
  struct B b = { 5, -3, 4000, -7, 1UL << 39 };
  b.a += 7; b.b++; b.e |= 3; b.f = 8;
  printf("%u %d %u %d %lu %d %zu\n", b.a, b.b, b.c, b.d, (unsigned long)b.e, b.f, sizeof b);
  b.a = 9; printf("%u %d\n", b.a, (b.b = 17));
  struct B *p = &b; p->c = 5000; p->b = -17; printf("%u %d\n", p->c, p->b);
  struct B c = pass(g); printf("%u %d %u\n", c.a, c.b, c.c);
  struct W w = { -1, 12, -5, -5 }; printf("%d %d %d\n", w.z < 0, w.w > 0, w.y == 12);
  for (int i = 0; i < 20; i++) { g.a++; g.b += 3; printf("%u,%d ", g.a, g.b); }
  printf("%d\n", g.a - 5 < 0);
  return b.d + 20;
}
