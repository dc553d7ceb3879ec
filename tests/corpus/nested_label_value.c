// expect: true --property unreach-call
// A function within a function chooses the label to go to.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  __label__ small, large;
  int x = __VERIFIER_nondet_int();
  void *choose(void) { return x > 5 ? &&large : &&small; }
  goto *choose();
small:
  if (x > 5) reach_error();
  return 0;
large:
  if (x <= 5) reach_error();
  return 0;
}
