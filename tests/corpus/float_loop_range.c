// expect: true --property unreach-call
// A filter whose state stays in a range: what each step gives is bounded by what it is given, and no
// comparison holds of a value that is not a number.
double nondet_double(void);
int nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
int main(void) {
  double state = 0, input, before = 0;
  while (nondet_int()) {
    input = nondet_double();
    __VERIFIER_assume(input >= -1.0 && input <= 1.0);
    state = nondet_int() ? 0 : state * 0.999 + input - before;
    before = input;
    if (!(state >= -10000.0 && state <= 10000.0)) { ERROR: return 1; }
  }
  return 0;
}
