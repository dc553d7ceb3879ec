// expect: false(unreach-call) --property unreach-call
// A label that leads past the increment.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  void *next = __VERIFIER_nondet_int() > 7 ? &&late : &&early;
  int count = 0;
  goto *next;
early:
  count++;
late:
  count++;
  if (count != 2) reach_error();
  return 0;
}
