// expect: not-false
// The library finds infinities where the parts of a product are not numbers.
extern void reach_error(void);

int main(void)
{
    double huge = 1e308;
    _Complex double z = __builtin_complex(huge * 10, huge * 10);
    z = z * __builtin_complex(huge * 10, 0.0);
    if (__real__ z != __real__ z && __imag__ z != __imag__ z)
        reach_error();
    return 0;
}
