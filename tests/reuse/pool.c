// A pool of connections: free, used and broken ones are all there are.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int size = __VERIFIER_nondet_int();
  if (size < 1 || size > 64) return 0;
  int free = size, used = 0, broken = 0, served = 0;
  while (__VERIFIER_nondet_int()) {
    int what = __VERIFIER_nondet_int();
    if (what == 0) {
      if (free > 0) { free--; used++; }
    } else if (what == 1) {
      if (used > 0) { used--; free++; if (served < 1000) served++; }
    } else if (what == 2) {
      if (used > 0) { used--; broken++; }
    } else {
      if (broken > 0) { broken--; free++; }
    }
    check(free >= 0);
    check(used >= 0 && used <= size);
    check(broken >= 0);
  }
  check(free + used + broken == size);
  check(served <= 1000);
  return 0;
}
//@ constant
//- if (size < 1 || size > 64) return 0;
//+ if (size < 1 || size > 128) return 0;
//@ statement
//- int what = __VERIFIER_nondet_int();
//+ int what = __VERIFIER_nondet_int();
//+ if (served == 1000) what = 3;
//@ rename size=all free=idle used=busy broken=lost served=answers what=event
//@ extract
//- int main(void) {
//+ static int some(int n) { return n > 0; }
//+ int main(void) {
//- if (broken > 0) { broken--; free++; }
//+ if (some(broken)) { broken--; free++; }
//@ branch
//- check(broken >= 0);
//+ check(broken >= 0);
//+ if (broken == size) { free = size; used = 0; broken = 0; }
