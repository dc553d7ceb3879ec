// expect: false(unreach-call)
// skip impact: sums of floats over many rounds
// skip predicate: sums of floats over many rounds
// skip trace: sums of floats over many rounds
// skip bounded: sums of floats over many rounds
// A filter whose gain is more than one: only inputs that stay at their bound for several rounds show it.
extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void)
{
    float state = 0;
    while (__VERIFIER_nondet_int()) {
        float x = __VERIFIER_nondet_float();
        if (!(x >= -10 && x <= 10))
            return 0;
        state = 0.9f * state + 0.2f * x;
        if (!(state >= -10.5f && state <= 10.5f))
            reach_error();
    }
}
