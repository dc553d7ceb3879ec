// expect: true
// skip predicate: arithmetic of floats
// skip impact: arithmetic of floats
// skip trace: arithmetic of floats
// skip bounded: arithmetic of floats
// A real operand leaves the imaginary part alone, also its sign; quotients are those of the library.
extern void reach_error(void);

_Complex double start = 1.0 + 2.0i;

static _Complex double quotient(_Complex double x, _Complex double y)
{
    return x / y;
}

int main(void)
{
    _Complex double z = start * (3.0 - 4.0i);
    if (z != 11.0 + 2.0i)
        reach_error();
    z = quotient(11.0 + 2.0i, start);
    if (__real__ z != 3.0 || __imag__ z != -4.0)
        reach_error();
    z = __builtin_complex(1.0, -0.0);
    z = 2 + z;
    if (!__builtin_signbit(__imag__ z))
        reach_error();
    z = 2 - z;
    if (__builtin_signbit(__imag__ z) || __real__ z != -1.0)
        reach_error();
    _Complex float f = 0.5f + 1.0if;
    f += z;
    if ((double)f != -0.5 || !(f == -0.5f + 1.0if))
        reach_error();
    return 0;
}
