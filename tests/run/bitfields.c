/* Bit-fields: signed, unsigned, straddling bytes, zero width, in unions, promotions. */
#include <stdio.h>
#include <string.h>

struct a { int s3 : 3; unsigned u5 : 5; int s11 : 11; unsigned u13 : 13; };
struct b { unsigned char c; unsigned x : 4; unsigned : 0; unsigned y : 4; };
struct c { long long big : 40; unsigned long long rest : 24; };
struct d { short s : 9; short t : 9; char u : 3; _Bool flag : 1; };
struct e { unsigned a : 7, b : 9, c : 1; signed d : 30; unsigned e : 31; unsigned f : 32; };
struct __attribute__((packed)) p { unsigned char head; int v : 20; unsigned w : 15; char tail; };
union u { struct { unsigned lo : 4, hi : 4; }; unsigned char byte; };

static void dump(const void *p, int n) {
    const unsigned char *c = p;
    for (int i = 0; i < n; i++) printf("%02x", c[i]);
    printf("\n");
}

int main(void) {
    struct a a;
    memset(&a, 0, sizeof a);
    a.s3 = 5; a.u5 = 37; a.s11 = -1000; a.u13 = 70000;
    printf("%d %d %d %d\n", a.s3, a.u5, a.s11, a.u13);
    dump(&a, sizeof a);
    a.s3++; a.u5 += 30; a.s11 <<= 1; a.u13 ^= 0x1555;
    printf("%d %d %d %d\n", a.s3, a.u5, a.s11, a.u13);
    printf("%d %d\n", (a.u5 = 33), (a.s3 = 7));
    printf("%d\n", a.u5 - 5 < 0);

    struct b b;
    memset(&b, 0, sizeof b);
    b.c = 200; b.x = 15; b.y = 9;
    printf("%d ", (int)sizeof b);
    dump(&b, sizeof b);

    struct c c = {-1, 0xabcdef};
    c.big = 0x123456789aLL;
    printf("%lld %llx %d\n", (long long)c.big, (unsigned long long)c.rest, (int)sizeof c);
    c.big = (1LL << 39);
    printf("%lld\n", (long long)c.big);
    dump(&c, sizeof c);

    struct d d = {-256, 255, -4, 7};
    printf("%d %d %d %d %d\n", d.s, d.t, d.u, d.flag, (int)sizeof d);
    d.flag = 0; d.t = d.s;
    printf("%d %d\n", d.t, d.flag);

    struct e e;
    memset(&e, 0, sizeof e);
    e.a = 127; e.b = 300; e.c = 3; e.d = -536870912; e.e = 0x7fffffff; e.f = 0xdeadbeef;
    printf("%u %u %u %d %u %x %d\n", e.a, e.b, e.c, e.d, e.e, e.f, (int)sizeof e);
    dump(&e, sizeof e);

    struct p p;
    memset(&p, 0, sizeof p);
    p.head = 1; p.v = -300000; p.w = 20000; p.tail = 'x';
    printf("%d %d %u %d %d\n", p.head, p.v, p.w, p.tail, (int)sizeof p);
    dump(&p, sizeof p);

    union u u = {.byte = 0xa5};
    printf("%u %u\n", u.lo, u.hi);
    u.hi = 3;
    printf("%x\n", u.byte);

    struct a array[3] = {{1, 2, 3, 4}, {-1, 31, -1, 8191}};
    struct a *q = array;
    int sum = 0;
    for (int i = 0; i < 3; i++, q++) sum += q->s3 + q->u5 + q->s11 + q->u13;
    printf("%d\n", sum);
    return 0;
}
