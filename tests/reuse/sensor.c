// Readings are smoothed and counted; an alarm needs three high ones in a row.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int last = 0, row = 0, alarm = 0, read = 0, high = 0, cleared = 0;
  while (read < 300) {
    int value = __VERIFIER_nondet_int();
    if (value < 0) value = 0;
    if (value > 100) value = 100;
    read++;
    last = (last + value) / 2;
    if (value >= 90) { high++; row++; } else row = 0;
    if (row >= 3) { alarm = 1; row = 0; }
    if (alarm == 1 && value < 50) { alarm = 0; cleared++; }
    check(last >= 0 && last <= 100);
    check(row >= 0 && row < 3);
  }
  check(high <= read);
  check(cleared >= 0);
  check(alarm == 0 || alarm == 1);
  check(read == 300);
  return 0;
}
//@ constant
//- if (value >= 90) { high++; row++; } else row = 0;
//+ if (value >= 85) { high++; row++; } else row = 0;
//@ statement
//- read++;
//+ read++;
//+ if (alarm == 1) row = 0;
//@ rename last=mean row=streak alarm=bell read=samples high=peaks cleared=resets
//@ extract
//- int main(void) {
//+ static int smooth(int before, int now) { return (before + now) / 2; }
//+ int main(void) {
//- last = (last + value) / 2;
//+ last = smooth(last, value);
//@ branch
//- check(last >= 0 && last <= 100);
//+ if (value == 100 && alarm == 0) cleared = 0;
//+ check(last >= 0 && last <= 100);
