// A taxi meter: the fare grows by steps and never falls behind the distance.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int distance = 0, fare = 4, waiting = 0, seats = __VERIFIER_nondet_int(), steps = 0;
  if (seats < 1 || seats > 4) return 0;
  while (steps < 400) {
    steps++;
    if (__VERIFIER_nondet_int()) {
      distance++;
      fare = fare + 2;
    } else {
      waiting++;
      if (waiting >= 3) { waiting = 0; fare = fare + 1; }
    }
    check(waiting >= 0 && waiting < 3);
  }
  check(fare >= 2 * distance + 4);
  check(distance <= steps);
  check(distance <= 400);
  fare = fare + seats;
  check(fare > 2 * distance);
  return 0;
}
//@ constant
//- if (seats < 1 || seats > 4) return 0;
//+ if (seats < 1 || seats > 6) return 0;
//@ statement
//- distance++;
//+ distance++;
//+ waiting = 0;
//@ rename distance=km fare=price waiting=stops seats=people steps=time
//@ extract
//- int main(void) {
//+ static int charged(int so_far, int by) { return so_far + by; }
//+ int main(void) {
//- fare = fare + 2;
//+ fare = charged(fare, 2);
//@ branch
//- check(waiting >= 0 && waiting < 3);
//+ check(waiting >= 0 && waiting < 3);
//+ if (distance == 100) fare = fare + 10;
