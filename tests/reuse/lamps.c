// Traffic lights at a crossing: never green both ways, and yellow in between.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int north = 0, east = 2, timer = 0, changes = 0;
  while (changes < 1000) {
    timer++;
    if (timer >= 5) {
      timer = 0;
      changes++;
      if (north == 2) north = 1;
      else if (north == 1) { north = 0; east = 2; }
      else if (east == 2) east = 1;
      else { east = 0; north = 2; }
    }
    check(north == 0 || east == 0);
    check(north + east > 0);
    check(timer >= 0 && timer < 5);
  }
  check(north <= 2 && east <= 2);
  check(changes == 1000);
  return 0;
}
//@ constant
//- while (changes < 1000) {
//+ while (changes < 3000) {
//- check(changes == 1000);
//+ check(changes == 3000);
//@ statement
//- timer++;
//+ timer++;
//+ if (changes == 7) timer = 0;
//@ rename north=a east=b timer=clock changes=switches
//@ extract
//- int main(void) {
//+ static int red(int lamp) { return lamp == 0; }
//+ int main(void) {
//- check(north == 0 || east == 0);
//+ check(red(north) || red(east));
//@ branch
//- check(north + east > 0);
//+ check(north + east > 0);
//+ if (__VERIFIER_nondet_int() && north == 2) { north = 1; timer = 0; }
