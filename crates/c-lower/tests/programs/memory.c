#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct L { struct L *next; int v; };
struct N { int x; struct { int y, z; } in; int arr[3]; };
struct Flex { int n; int data[]; };
static int mat[2][3] = { 1, 2, 3, { 4 } }, *pp = &mat[1][0]; static char *names[] = { "a", "bc", [3] = "d" };
static struct N gn = { 1, { .z = 3 }, .arr = { [1] = 7 } }; static struct N *gp = &gn; static int *gz = &gn.in.z;
static struct Flex flex = { 2, { 10, 20 } };
static int vla(int n) { int a[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i * j; return a[n - 1][n] + sizeof a + sizeof a[0]; }
static int rows(int n, int a[n][n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i][i]; return s; }
static struct N mk(int a) { struct N n = { a, { a + 1, .z = a + 2 }, .arr = { [1] = 7 } }; return n; }
int main(void) {
  struct L *l = 0; for (int i = 0; i < 5; i++) { struct L *x = malloc(sizeof *x); x->v = i * i; x->next = l; l = x; }
  int t = 0; while (l) { struct L *x = l; t = t * 3 + x->v; l = l->next; free(x); } printf("%d\n", t);
  printf("%d %d %s %d %d\n", mat[1][0], pp[-1], names[1], names[2] == 0, (int)sizeof names);
  struct N n = mk(3), m; m = n; m.in.y = 9; printf("%d %d %d %d %d %d\n", n.x, n.in.y, n.in.z, m.in.y, n.arr[1], m.arr[2]);
  printf("%d %d %d %d\n", mk(8).in.z, gp->arr[1], *gz, flex.data[1]); gp->in = mk(4).in; printf("%d\n", *gz);
  int arr[] = { [2] = 5, 6, [0] = 1 }, (*pa)[4] = &arr; printf("%zu %d %d %d\n", sizeof arr / sizeof *arr, arr[3], arr[1], (*pa)[2]);
  int ai[3] = { 1, 2, 3 }, *ip = ai; *ip++ = 10; *++ip = 30; printf("%d %d %d %td %d\n", ai[0], ai[1], ai[2], ip - ai, 1[ai]);
  char buf[40] = "abc", *e = realloc(strdup("realloc"), 20); e[7] = '!'; e[8] = 0; strcat(buf, e); printf("%s %zu %s\n", buf, strlen(buf), strrchr(buf, 'l')); free(e);
  printf("%d %d %d\n", strcmp("abc", "abd") < 0, memcmp(buf, "abx", 2), strncmp("ab", "ac", 1)); memset(buf, 'z', 3); memmove(buf + 1, buf, 6); printf("%.8s\n", buf);
  int *z = calloc(3, sizeof(int)); z[1] = 4; printf("%d %d\n", z[0], z[1]); free(z); free(0);
  printf("%d %d\n", vla(4), rows(2, (int[2][2]){ { 1, 2 }, { 3, 4 } })); char *al = __builtin_alloca(4); al[0] = 7; printf("%d\n", al[0]);
  struct P { int a, b; } *cp = &(struct P){ 3, 4 }, ca = (struct P){ .b = 8 }; printf("%d %d\n", cp->b + ca.b, ca.a);
  struct Flex *fl = malloc(sizeof *fl + 3 * sizeof(int)); fl->n = 3; for (int i = 0; i < 3; i++) fl->data[i] = i; printf("%d\n", fl->data[2]); free(fl);
  int x = 0x01020304; char *by = (char *)&x; by[1] = 9; printf("%x %d\n", x, *(short *)(by + 2)); void *vp = &x; printf("%d\n", *(int *)vp == x);
  wchar_t w[] = L"wide"; printf("%zu %d %s\n", sizeof w, w[1], __func__); char cells[3][4] = { "one", "two" }; printf("%s%d\n", cells[1], cells[2][0]);
  int grid[2][2][2] = { { { 1 }, { 2, 3 } }, { [1] = { 4, 5 } } }; printf("%d %d %d\n", grid[0][1][1], grid[1][1][0], grid[1][0][1]); int rg[6] = { [1 ... 3] = 7, 8 }; printf("%d %d %d\n", rg[3], rg[4], rg[5]);
  return atoi(" -42x") + abs(-50);
}
