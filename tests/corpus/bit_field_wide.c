// expect: true --property unreach-call
// skip impact: what wraps at 40 bits is over-approximated in formulas
// skip predicate: what wraps at 40 bits is over-approximated in formulas
// skip trace: what wraps at 40 bits is over-approximated in formulas
// gcc computes with a bit-field that is wider than int in exactly its width.
extern void reach_error(void);

int main(void) {
    struct { unsigned long a : 40; long b : 40; unsigned long c : 33; } s = {1ul << 39, -1, 0x1ffffffff};
    if ((s.a << 1) != 0 || s.a + s.a != 0 || ~s.a != 0x7fffffffff)
        reach_error();
    if (-s.a != s.a || s.c + 1 != 0 || s.c + 1l != 0x200000000 || s.c + 1u != 0)
        reach_error();
    if (((unsigned long)s.a << 1) != 1ul << 40 || (s.b >> 1) != -1 || s.b < s.a)
        reach_error();
    if ((s.c = 0x1ffffffff) + 1 != 0 || ++s.c != 0)
        reach_error();
    return 0;
}
