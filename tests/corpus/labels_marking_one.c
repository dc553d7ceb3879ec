// expect: true --property unreach-call
// Labels of one statement lead to one place, whatever their addresses.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int seen = 0;
  void *next = __VERIFIER_nondet_int() ? &&one : &&two;
  goto *next;
one:
two:
  seen++;
  next = &&other;
  goto *next;
  seen++;
other:
  if (seen != 1) reach_error();
  return 0;
}
