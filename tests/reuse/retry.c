// Retries with back-off: the delay doubles up to a limit, the tries are counted.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int tries = 0, delay = 1, connected = 0, failures = 0, slept = 0;
  while (connected == 0 && tries < 40) {
    tries++;
    if (__VERIFIER_nondet_int()) {
      connected = 1;
    } else {
      failures++;
      slept = slept + delay;
      delay = delay + delay;
      if (delay > 32) delay = 32;
    }
    check(delay >= 1 && delay <= 32);
    check(failures + connected == tries);
  }
  check(slept >= failures);
  check(slept <= 32 * failures);
  if (connected == 0) check(failures == 40);
  while (failures > 0) { failures--; tries--; }
  check(tries == connected);
  return 0;
}
//@ constant
//- while (connected == 0 && tries < 40) {
//+ while (connected == 0 && tries < 60) {
//- if (connected == 0) check(failures == 40);
//+ if (connected == 0) check(failures == 60);
//@ statement
//- check(slept >= failures);
//+ delay = 1;
//+ check(slept >= failures);
//@ rename tries=attempts delay=pause connected=up failures=errors slept=total
//@ extract
//- int main(void) {
//+ static int longer(int d) { return d + d > 32 ? 32 : d + d; }
//+ int main(void) {
//- delay = delay + delay;
//- if (delay > 32) delay = 32;
//+ delay = longer(delay);
//@ branch
//- check(delay >= 1 && delay <= 32);
//+ if (failures == 10) delay = 1;
//+ check(delay >= 1 && delay <= 32);
