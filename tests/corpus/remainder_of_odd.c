// expect: true --property unreach-call
// The quotient that defines a remainder may be written in another way.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int();
  if (a < 0 || a > 3 || r < 0 || r > 3)
    return 0;
  if ((r - 1) * (r - 1) >= a || a % 2 != 1)
    return 0;
  int u = 2 * r + 1, d = r * r - a;
  if (u % 4 == 0 || (6 * a + 3) % 9 == 1)
    reach_error();
  while (d != 0) {
    if (u > 14)
      reach_error();
  }
  return 0;
}
