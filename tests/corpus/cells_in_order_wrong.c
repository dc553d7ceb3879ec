// expect: false(unreach-call) --property unreach-call
// A cell may be below the one before it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[1000];

int main(void) {
  int n = __VERIFIER_nondet_int(), last = 0;
  if (n < 1 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    int more = __VERIFIER_nondet_int();
    if (more < -1 || more > 10) more = 1;
    last += more;
    if (last > 100000) last = 100000;
    a[i] = last;
  }
  int x = __VERIFIER_nondet_int();
  if (x >= 0 && x + 1 < n && a[x] > a[x + 1]) reach_error();
  return 0;
}
