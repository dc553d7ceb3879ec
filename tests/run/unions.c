/* Type punning through unions, members of unions in structures. */
#include <stdio.h>
#include <string.h>

union number {
    unsigned u;
    int i;
    float f;
    unsigned char bytes[4];
    struct { unsigned short low, high; } half;
};

struct tagged {
    int tag;
    union { int number; const char *text; double real; };
};

union wide { long long ll; struct { int a; int b; } pair; char c; };

static void show(const struct tagged *t) {
    switch (t->tag) {
    case 0: printf("number %d\n", t->number); break;
    case 1: printf("text %s\n", t->text); break;
    default: printf("real %d\n", (int)(t->real * 100)); break;
    }
}

int main(void) {
    union number n;
    n.u = 0x80000001u;
    printf("%d %u %u %u\n", n.i, n.half.low, n.half.high, n.bytes[3]);
    n.f = 1.5f;
    printf("%x %x %x\n", n.u, n.half.high, n.bytes[2]);
    n.bytes[0] = 0xff;
    printf("%x %d\n", n.u, (int)(n.f * 1000000));
    struct tagged t[3] = {{0, {42}}, {.tag = 1, .text = "forty-two"}, {.tag = 2, .real = 4.25}};
    for (int k = 0; k < 3; k++) show(&t[k]);
    union wide w = {.pair = {1, 2}};
    printf("%lld %d\n", w.ll, w.c);
    w.ll = -2;
    printf("%d %d\n", w.pair.a, w.pair.b);
    union wide copy = w, zero = {0};
    printf("%d %d\n", memcmp(&copy, &w, sizeof w), memcmp(&copy, &zero, sizeof w) != 0);
    union { void *p; unsigned long bits; } q;
    int x = 77;
    q.p = &x;
    q.bits += 0;
    printf("%d %d\n", *(int *)q.p, (int)sizeof q == (int)sizeof(void *));
    return (int)(copy.ll + 2);
}
