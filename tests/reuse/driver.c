// A driver that takes and releases a lock while it works through requests.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int locked, pending, done;
static void take(void) { check(locked == 0); locked = 1; }
static void release(void) { check(locked == 1); locked = 0; }
int main(void) {
  int old, rounds = 0;
  locked = 0;
  pending = 0;
  done = 0;
  do {
    take();
    old = pending;
    if (__VERIFIER_nondet_int()) {
      release();
      pending++;
      done++;
      if (done > 10) done = 10;
    }
    if (rounds < 1000) rounds++;
    if (pending > 1000) { if (pending != old) take(); break; }
  } while (pending != old);
  release();
  check(done >= 0 && done <= 10);
  check(rounds >= 1);
  return 0;
}
//@ constant
//- if (rounds < 1000) rounds++;
//+ if (rounds < 500) rounds++;
//@ statement
//- old = pending;
//+ old = pending;
//+ if (done == 10) done = 9;
//@ rename locked=busy pending=requests done=served old=before
//@ extract
//- int main(void) {
//+ static int capped(int value) { return value > 10 ? 10 : value; }
//+ int main(void) {
//- if (done > 10) done = 10;
//+ done = capped(done);
//@ branch
//- if (rounds < 1000) rounds++;
//+ if (rounds < 1000) rounds++;
//+ else if (done > 5) done = 5;
