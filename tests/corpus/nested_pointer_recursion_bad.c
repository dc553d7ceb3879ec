// expect: not-true --property unreach-call
// As nested_pointer_recursion.c, but expects the variable of the last activation.
extern void reach_error(void);
static int walk(int n, int (*get)(void)) {
  int mine = n;
  int own(void) { return mine; }
  if (n == 2) return walk(n - 1, own);
  if (n > 0) return walk(n - 1, get);
  return get();
}
int main(void) {
  if (walk(2, 0) != 0) reach_error();
  return 0;
}
