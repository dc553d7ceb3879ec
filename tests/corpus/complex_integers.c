// expect: true
// Complex integers: the conjugate, products, and parts that are assigned to.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static _Complex int swapped(_Complex int z)
{
    _Complex int w;
    __real__ w = __imag__ z;
    __imag__ w = __real__ z;
    return w;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -100 || x > 100)
        return 0;
    _Complex int z = 3;
    __imag__ z = x;
    z = ~z;
    if (__imag__ z != -x || __real__ z != 3)
        reach_error();
    // The square uses the old parts for both new ones.
    _Complex int i = 2i;
    i = i * i;
    if (i != -4)
        reach_error();
    z = swapped(z) + 1;
    if (__real__ z != 1 - x || __imag__ z != 3)
        reach_error();
    return 0;
}
