// A tank between two marks: the pump follows the level with hysteresis.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int level = 50, pump = 0, starts = 0, hours = 0, low = 20, high = 80;
  while (hours < 500) {
    int use = __VERIFIER_nondet_int();
    hours++;
    if (use < 0 || use > 3) use = 0;
    level = level - use;
    if (pump == 1) level = level + 4;
    if (level < low && pump == 0) { pump = 1; starts++; }
    if (level > high && pump == 1) pump = 0;
    check(level >= 14);
    check(level <= 90);
    check(pump == 0 || pump == 1);
  }
  check(starts >= 0 && starts <= hours);
  check(hours == 500);
  return 0;
}
//@ constant
//- while (hours < 500) {
//+ while (hours < 700) {
//- check(hours == 500);
//+ check(hours == 700);
//@ statement
//- level = level - use;
//+ level = level - use;
//+ if (starts == 9) use = 0;
//@ rename level=water pump=on starts=count hours=time use=drain
//@ extract
//- int main(void) {
//+ static int filled(int height) { return height + 4; }
//+ int main(void) {
//- if (pump == 1) level = level + 4;
//+ if (pump == 1) level = filled(level);
//@ branch
//- check(level >= 14);
//+ if (hours == 24 && level > 60) level = 60;
//+ check(level >= 14);
