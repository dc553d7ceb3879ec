// Three loops one after the other; each needs what the one before has established.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, a = 0, b = 0, c = 0;
  if (n < 0 || n > 400) return 0;
  while (i < n) {
    i++;
    a = a + 2;
    b++;
  }
  check(a == 2 * n);
  while (b > 0) {
    b--;
    c = c + 3;
  }
  check(c == 3 * n);
  while (i > 0) {
    i--;
    if (__VERIFIER_nondet_int()) c--;
  }
  check(c >= 2 * n);
  check(i == b);
  return 0;
}
//@ constant
//- if (n < 0 || n > 400) return 0;
//+ if (n < 0 || n > 900) return 0;
//@ statement
//- check(c == 3 * n);
//+ check(c == 3 * n);
//+ a = 7;
//@ rename n=size i=left a=twice b=once c=thrice
//@ extract
//- int main(void) {
//+ static int add_three(int x) { return x + 3; }
//+ int main(void) {
//- c = c + 3;
//+ c = add_three(c);
//@ branch
//- check(c == 3 * n);
//+ check(c == 3 * n);
//+ if (a > 2 * n) c--;
