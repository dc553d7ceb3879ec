// expect: not-false --property unreach-call
// The pointer belongs to the first activation, while the last one runs.
extern void reach_error(void);
static int walk(int n, int (*get)(void)) {
  int mine = n;
  int own(void) { return mine; }
  if (n == 2) return walk(n - 1, own);
  if (n > 0) return walk(n - 1, get);
  return get();
}
int main(void) {
  if (walk(2, 0) != 2) reach_error();
  return 0;
}
