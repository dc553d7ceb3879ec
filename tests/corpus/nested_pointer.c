// expect: true --property unreach-call
// A pointer to a function within a function is called by others.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void twice(void (*f)(int), int x) { f(x); f(x + 1); }
static int run(int x) {
  int seen = 0;
  void visit(int n) { seen += n; }
  twice(visit, x);
  return seen;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9) return 0;
  if (run(x) != 2 * x + 1) reach_error();
  return 0;
}
