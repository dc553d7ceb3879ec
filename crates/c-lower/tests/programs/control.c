#include <stdio.h>
static int duff(int n) { int r = 0; switch (n % 4) { case 0: do { r++; case 3: r += 10; case 2: r += 100; case 1: r += 1000; } while ((n -= 4) > 0); } return r; }
static int jumps(int n) {
  int s = 0;
top: ;
  int k = n;
  if (k > 0) { int z = k * 2, *p = &z; s += *p; n--; goto top; }
  { goto in; { int q; in: q = 5; s += q; } }
  for (;;) { int a[2] = { 1, s }; if (a[1] > 30) goto out; s += a[0] + a[1]; }
out:
  while (s > 20) { switch (s & 3) { case 0: s -= 2; continue; case 1: s--; break; default: s -= 3; } if (s == 25) break; }
  return s;
}
static int classify(unsigned char c) { switch (c) { case 'a' ... 'f': return 1; case 0: return 2; default: return 3; case 'z': return 4; } }
static int nested(int x, int y) { switch (x) { case 1: switch (y) { case 1: return 11; default: break; } y++; case 2: return y; } return -1; }
static int logic(int a, int b, int c) { return (a && b) || (!c && (a ^ b)) ? (a, b, c) : a ?: b ?: -c; }
static int locals(void) { int r = 0; for (int i = 0; i < 3; i++) { __label__ l; if (i == 1) goto l; r += 10; l: r++; } return r; }
static int dead(int x) { return x; while (x) { inner: x--; } goto inner; }
int main(void) {
  for (int i = 1; i < 9; i++) printf("%d ", duff(i));
  printf("\n%d %d %d %d %d\n", jumps(4), classify('c'), classify(0), classify('y'), classify('z'));
  printf("%d %d %d %d\n", nested(1, 1), nested(1, 5), nested(2, 7), nested(3, 0));
  for (int i = 0; i < 8; i++) printf("%d ", logic(i & 1, i & 2, i & 4));
  printf("%d %d\n", locals(), dead(3));
  int i = 0; do { if (i == 2) continue; if (i > 4) break; printf("%d", i); } while (++i < 9); puts("");
  for (int i = 0, j = 10; i < j; i++, j--) { if (i == 3) continue; if (i == 4) break; printf("%d ", i * j); } puts("");
  if (i == 0) ; else if (i == 1) puts("one"); else if (i == 5) puts("five"); else puts("many");
  int st = ({ int q = 3; for (int k = 0; k < 3; k++) q += k; q * q; }); printf("%d\n", st);
  return st;
}
