// Three tasks in turns: the budgets spent are the ticks that passed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int turn = 0, first = 0, second = 0, third = 0, ticks = 0, quantum = 0;
  while (ticks < 900) {
    ticks++;
    if (turn == 0) first++;
    else if (turn == 1) second++;
    else { check(turn == 2); third++; }
    quantum++;
    if (quantum == 3 || __VERIFIER_nondet_int()) {
      quantum = 0;
      turn++;
      if (turn == 3) turn = 0;
    }
    check(quantum >= 0 && quantum < 3);
  }
  check(first + second + third == ticks);
  check(first + second + third == 900);
  check(turn >= 0 && turn <= 2);
  return 0;
}
//@ constant
//- while (ticks < 900) {
//+ while (ticks < 600) {
//- check(first + second + third == 900);
//+ check(first + second + third == 600);
//@ statement
//- quantum++;
//+ quantum++;
//+ if (turn == 1 && quantum == 2) quantum = 3;
//@ rename turn=who first=a second=b third=c ticks=time quantum=slice
//@ extract
//- int main(void) {
//+ static int following(int t) { return t == 2 ? 0 : t + 1; }
//+ int main(void) {
//- turn++;
//- if (turn == 3) turn = 0;
//+ turn = following(turn);
//@ branch
//- check(quantum >= 0 && quantum < 3);
//+ if (ticks == 300) { turn = 0; quantum = 0; }
//+ check(quantum >= 0 && quantum < 3);
