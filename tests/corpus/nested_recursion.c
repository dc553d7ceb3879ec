// expect: true --property unreach-call
// skip impact: recursion is left to the engines with summaries
// skip predicate: the summaries do not say what the frame before held
// skip trace: likewise
// Each activation has variables of its own; after the inner one has returned, the function within finds those of the outer.
extern void reach_error(void);
static int depth(int n) {
  int mine = n;
  void touch(void) { mine += 10; }
  touch();
  int below = n > 0 ? depth(n - 1) : 0;
  touch();
  if (mine != n + 20) reach_error();
  return below + mine;
}
int main(void) {
  if (depth(2) != 63) reach_error();
  return 0;
}
