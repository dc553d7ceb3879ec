// expect: false(unreach-call)
// As bits_together.c, but one bit changes without the other.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned flags = 0x10;
    unsigned rounds = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < rounds; i++)
        flags ^= i == 1 ? 0x2 : 0x6;
    if ((flags & 0x10) != 0x10)
        reach_error();
    if (((flags >> 1) & 1) != ((flags >> 2) & 1))
        reach_error();
}
