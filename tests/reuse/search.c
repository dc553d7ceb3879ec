// Binary search by indices only: the window shrinks and stays inside.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(), low, high, steps = 0, found = 0, at = 0;
  if (n < 1 || n > 1000) return 0;
  low = 0;
  high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    check(middle >= 0 && middle < n);
    steps++;
    if (__VERIFIER_nondet_int()) { found = 1; at = middle; break; }
    if (__VERIFIER_nondet_int()) low = middle + 1;
    else high = middle;
    check(low <= high);
  }
  check(low >= 0 && high <= n);
  check(steps >= 1);
  check(steps <= n);
  if (found == 1) check(at >= 0 && at < n);
  return 0;
}
//@ constant
//- if (n < 1 || n > 1000) return 0;
//+ if (n < 1 || n > 5000) return 0;
//@ statement
//- low = 0;
//+ low = 0;
//+ at = -1;
//@ rename n=length low=from high=to middle=mid steps=rounds found=hit at=place
//@ extract
//- int main(void) {
//+ static int between(int a, int b) { return a + (b - a) / 2; }
//+ int main(void) {
//- int middle = low + (high - low) / 2;
//+ int middle = between(low, high);
//@ branch
//- check(low <= high);
//+ if (low == high && found == 0) break;
//+ check(low <= high);
