/* Sizes, alignments and offsets of structures and unions. */
#include <stddef.h>
#include <stdio.h>

struct a { char c; int i; char d; };
struct b { char c; double d; };
struct c { char c; long long l; short s; };
struct d { struct a a; char c; };
struct __attribute__((packed)) e { char c; int i; short s; };
struct f { char c; char flex[]; };
struct g { int : 5; int x; };
struct h { char c; _Alignas(16) char aligned; };
struct i { char c; long double l; };
union u { char c[5]; int i; };
struct empty {};

int main(void) {
    printf("%d %d %d\n", (int)sizeof(struct a), (int)offsetof(struct a, i), (int)offsetof(struct a, d));
    printf("%d %d\n", (int)sizeof(struct b), (int)offsetof(struct b, d));
    printf("%d %d\n", (int)sizeof(struct c), (int)offsetof(struct c, l));
    printf("%d %d\n", (int)sizeof(struct d), (int)offsetof(struct d, c));
    printf("%d %d\n", (int)sizeof(struct e), (int)offsetof(struct e, s));
    printf("%d %d\n", (int)sizeof(struct f), (int)sizeof(struct g));
    printf("%d %d\n", (int)sizeof(struct h), (int)offsetof(struct h, aligned));
    printf("%d %d\n", (int)sizeof(struct i), (int)offsetof(struct i, l));
    printf("%d %d %d\n", (int)sizeof(union u), (int)sizeof(struct empty), (int)sizeof(void *));
    printf("%d %d %d\n", (int)_Alignof(short), (int)_Alignof(struct c), (int)_Alignof(void *));
    struct e e = {1, 0x01020304, 5};
    const char *p = (const char *)&e;
    printf("%d %d %d\n", p[1], p[4], p[5]);
    return 0;
}
