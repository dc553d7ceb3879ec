/* Tables of functions, callbacks, functions that return functions. */
#include <stdio.h>
#include <stdlib.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

static binary pick(char c) { return c == '+' ? add : c == '-' ? &sub : mul; }

static int (*twice(int (*f)(int, int)))(int, int) { return f == add ? mul : f; }

struct shape { const char *name; double (*area)(const struct shape *); double a, b; };
static double square(const struct shape *s) { return s->a * s->a; }
static double rectangle(const struct shape *s) { return s->a * s->b; }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void sort(void *base, int n, int size, int (*cmp)(const void *, const void *)) {
    char *p = base;
    for (int i = 0; i < n; i++)
        for (int j = i; j > 0 && cmp(p + (j - 1) * size, p + j * size) > 0; j--)
            for (int k = 0; k < size; k++) {
                char t = p[(j - 1) * size + k];
                p[(j - 1) * size + k] = p[j * size + k];
                p[j * size + k] = t;
            }
}

static int apply(int n, int (*f)(int)) { return f ? f(n) : -1; }
static int increment(int n) { return n + 1; }
static void nothing(void) {}

int main(void) {
    binary table[] = {add, sub, mul};
    for (int i = 0; i < 3; i++) printf("%d ", table[i](7, 5));
    printf("%d %d\n", pick('-')(1, 2), (*pick('*'))(6, 7));
    printf("%d %d\n", twice(add)(3, 4), (**twice(sub))(3, 4));
    struct shape shapes[] = {{"square", square, 2.5, 0}, {"rectangle", rectangle, 2, 3}};
    for (struct shape *s = shapes; s < shapes + 2; s++) printf("%s %d\n", s->name, (int)(s->area(s) * 100));
    int numbers[] = {5, -3, 9, 0, 2};
    sort(numbers, 5, sizeof(int), compare);
    for (int i = 0; i < 5; i++) printf("%d ", numbers[i]);
    printf("%d %d\n", apply(3, increment), apply(3, NULL));
    void (*none)(void) = nothing;
    none();
    printf("%d %d\n", none == nothing, table[0] == table[1]);
    return 0;
}
