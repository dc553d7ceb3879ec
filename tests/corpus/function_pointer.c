// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int one(void) { return 1; }
static int two(void) { return 2; }
int main(void) {
  int (*f)(void) = __VERIFIER_nondet_int() ? one : two;
  int r = f();
  if (r != 1 && r != 2) reach_error();
  return 0;
}
