// expect: false(unreach-call)
// Equality takes both parts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    _Complex int z = 3i;
    __real__ z = __VERIFIER_nondet_int();
    if (z == 7 + 3i)
        reach_error();
    return 0;
}
