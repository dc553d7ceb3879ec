// Transfers between two accounts and a reserve keep the sum.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int total = __VERIFIER_nondet_int();
  if (total < 0 || total > 1000) return 0;
  int left = total, right = 0, reserve = 0, fees = 0, rounds = 0;
  while (__VERIFIER_nondet_int()) {
    int amount = __VERIFIER_nondet_int();
    if (amount < 0) continue;
    if (__VERIFIER_nondet_int() && amount <= left) {
      left = left - amount;
      right = right + amount;
    } else if (amount <= right) {
      right = right - amount;
      reserve = reserve + amount;
    }
    if (rounds < 100) rounds++;
  }
  check(left + right + reserve == total);
  check(left >= 0 && right >= 0);
  while (reserve > 0) {
    reserve--;
    left++;
  }
  check(left + right + fees == total);
  return 0;
}
//@ constant
//- if (total < 0 || total > 1000) return 0;
//+ if (total < 0 || total > 2000) return 0;
//@ statement
//- if (rounds < 100) rounds++;
//+ if (rounds < 100) rounds++;
//+ amount = 0;
//@ rename left=savings right=current reserve=pot amount=sum total=money
//@ extract
//- int main(void) {
//+ static int shrink(int from, int by) { return from - by; }
//+ int main(void) {
//- left = left - amount;
//+ left = shrink(left, amount);
//@ branch
//- if (rounds < 100) rounds++;
//+ if (rounds < 100) rounds++;
//+ if (rounds == 50 && left > 10) { left = left - 10; right = right + 10; }
