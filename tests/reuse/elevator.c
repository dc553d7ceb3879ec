// An elevator: it moves with closed doors only, and stays between the floors.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int floor = 0, target = 0, open = 1, moving = 0, top = 7, trips = 0;
  while (trips < 100) {
    int request = __VERIFIER_nondet_int();
    if (moving == 0 && request >= 0 && request <= top) {
      target = request;
      open = 0;
      moving = 1;
    }
    if (moving == 1) {
      check(open == 0);
      if (floor < target) floor++;
      else if (floor > target) floor--;
      else { moving = 0; open = 1; trips++; }
    }
    check(floor >= 0 && floor <= top);
    check(open + moving == 1);
  }
  check(trips == 100);
  return 0;
}
//@ constant
//- int floor = 0, target = 0, open = 1, moving = 0, top = 7, trips = 0;
//+ int floor = 0, target = 0, open = 1, moving = 0, top = 9, trips = 0;
//@ statement
//- target = request;
//+ target = request;
//+ if (trips == 0) target = 0;
//@ rename floor=level target=goal open=doors moving=running request=button
//@ extract
//- int main(void) {
//+ static int approach(int from, int to) { return from < to ? from + 1 : from > to ? from - 1 : from; }
//+ int main(void) {
//- if (floor < target) floor++;
//- else if (floor > target) floor--;
//- else { moving = 0; open = 1; trips++; }
//+ if (floor != target) floor = approach(floor, target);
//+ else { moving = 0; open = 1; trips++; }
//@ branch
//- check(open + moving == 1);
//+ check(open + moving == 1);
//+ if (moving == 1 && __VERIFIER_nondet_int()) target = 0;
