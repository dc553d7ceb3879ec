// expect: true
// Figure 1 of the paper on refinement of trace abstraction, in C: p is not
// zero unless n was negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int p = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (p == 0) return 0;
  while (n >= 0) {
    if (p == 0) reach_error();
    if (n == 0) p = 0;
    n--;
  }
  return 0;
}
