/* Variadic functions: all kinds of arguments, va_copy, passing the list on. */
#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...) {
    va_list list;
    int total = 0;
    va_start(list, n);
    while (n-- > 0) total += va_arg(list, int);
    va_end(list);
    return total;
}

static void show(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': printf("%d ", va_arg(list, int)); break;
        case 'l': printf("%ld ", va_arg(list, long)); break;
        case 'L': printf("%lld ", va_arg(list, long long)); break;
        case 'u': printf("%u ", va_arg(list, unsigned)); break;
        case 'd': printf("%d ", (int)(va_arg(list, double) * 100)); break;
        case 's': printf("%s ", va_arg(list, char *)); break;
        case 'p': printf("%d ", *va_arg(list, int *)); break;
        }
    }
    va_end(list);
    printf("\n");
}

static int largest(int n, va_list list) {
    int best = va_arg(list, int);
    while (--n > 0) {
        int x = va_arg(list, int);
        if (x > best) best = x;
    }
    return best;
}

static int twice(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    int a = largest(n, list), b = 0;
    while (n-- > 0) b += va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return a * 1000 + b;
}

struct pair { int a, b; };
static int pairs(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    for (int i = 0; i < n; i++) {
        struct pair p = va_arg(list, struct pair);
        total = total * 10 + p.a - p.b;
    }
    va_end(list);
    return total;
}

int main(void) {
    char c = 'c';
    short s = -5;
    float f = 2.5f;
    int x = 11;
    printf("%d %d\n", sum(0), sum(5, 1, 2, 3, c, s));
    show("iLudslpi", -1, 1LL << 40, 4000000000u, f, "text", 7L, &x, c);
    printf("%d\n", twice(4, 3, 9, -2, 5));
    printf("%d\n", pairs(2, (struct pair){5, 2}, (struct pair){9, 1}));
    int (*g)(int, ...) = sum;
    printf("%d\n", g(3, 10, 20, 30));
    return 0;
}
