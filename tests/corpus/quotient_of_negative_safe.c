// expect: true --property unreach-call --guess off
// skip witness: `check` takes no switch for guesses
// A quotient is nearer to zero than a negative dividend: -5 / 2 is -2 although -5 is all that `a` can be.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = __VERIFIER_nondet_int();
  if (a != -5)
    return 0;
  int both = a / 2 * 100 + a % 2;
  if (both != -201)
    reach_error();
  return 0;
}
