// expect: false(unreach-call) -p unreach-call
// One violation is up to the function without a body, the other is not.
// skip harness: the harness defines no functions that take pointers
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void on_change(void (*)(int));
static int level;
static void change(int v) {
  level = v;
  if (v == 3) reach_error();
}
int main(void) {
  on_change(change);
  if (__VERIFIER_nondet_int() == 1234567) reach_error();
  return 0;
}
