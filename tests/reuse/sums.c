// Two loops one after the other; the second undoes what the first has done.
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
    if (__VERIFIER_nondet_int()) c++;
  }
  check(a == 2 * n);
  check(c <= b);
  while (b > 0) {
    b--;
    a = a - 2;
  }
  check(a == 0);
  check(c <= n);
  return 0;
}
//@ constant
//- if (n < 0 || n > 400) return 0;
//+ if (n < 0 || n > 900) return 0;
//@ statement
//- check(c <= b);
//+ check(c <= b);
//+ i = 0;
//@ rename n=size i=left a=twice b=once c=some
//@ extract
//- int main(void) {
//+ static int less_two(int x) { return x - 2; }
//+ int main(void) {
//- a = a - 2;
//+ a = less_two(a);
//@ branch
//- check(a == 0);
//+ if (c == n) c--;
//+ check(a == 0);
