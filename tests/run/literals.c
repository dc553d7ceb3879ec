/* Compound literals, designated and nested initialisers, string initialisers. */
#include <stdio.h>

struct inner { int a, b[3]; };
struct outer { int id; struct inner in[2]; char name[8]; int *p; };

static int first(const int *p) { return p[0] * 100 + p[1]; }
static int *global = (int[]){7, 8, 9};
static struct outer fixed = {.in[1].b[2] = 5, .id = 3, .name = "init"};
static int sparse[] = {[5] = 50, 60, [1] = 10, 20, [9] = 90};
static int matrix[2][3] = {{1, 2}, {[2] = 6}};
static int flat[2][2] = {1, 2, 3};
static const char *table[] = {[2] = "two", [0] = "zero"};

int main(void) {
    printf("%d %d\n", first((int[]){4, 2}), global[2]);
    printf("%d %d %d %s\n", fixed.id, fixed.in[1].b[2], fixed.in[0].a, fixed.name);
    for (int i = 0; i < (int)(sizeof sparse / sizeof *sparse); i++) printf("%d ", sparse[i]);
    printf("\n%d %d %d %d %d\n", matrix[0][1], matrix[0][2], matrix[1][2], flat[1][0], flat[1][1]);
    printf("%s %d %s\n", table[0], table[1] == NULL, table[2]);
    int n = 5;
    struct outer o = {n, {{n + 1, {n * 2, [2] = n * 3}}, {.b = {1}}}, "dynamic", &n};
    printf("%d %d %d %d %d %s %d\n", o.id, o.in[0].a, o.in[0].b[0], o.in[0].b[1], o.in[0].b[2], o.name, *o.p);
    struct inner *q = &(struct inner){.a = n, .b[1] = 4};
    q->b[0]++;
    printf("%d %d %d %d\n", q->a, q->b[0], q->b[1], q->b[2]);
    for (int i = 0; i < 2; i++) {
        int *fresh = (int[2]){i};
        fresh[1] += 10;
        printf("%d %d ", fresh[0], fresh[1]);
    }
    o = (struct outer){.id = o.id + 1, .in = {[1] = {.a = 9}}};
    printf("%d %d %d %d\n", o.id, o.in[0].a, o.in[1].a, o.name[0]);
    char a[] = "abc", b[3] = "abc", c[10] = {"xy"}, d[] = {'a', 'b'};
    printf("%d %d %c %d %d\n", (int)sizeof a, (int)sizeof b, b[2], c[5], (int)sizeof d);
    int override[3] = {1, 2, 3, [0] = 9};
    printf("%d %d\n", override[0], override[1]);
    printf("%d %c\n", (int)sizeof("hello" "world"), "hex\x41"[3]);
    return (struct inner){.a = 42}.a;
}
