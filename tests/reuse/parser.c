// Brackets: the depth is what was opened and not closed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int depth = 0, opened = 0, closed = 0, deepest = 0, read = 0, length = __VERIFIER_nondet_int();
  if (length < 0 || length > 300) return 0;
  while (read < length) {
    int c = __VERIFIER_nondet_int();
    read++;
    if (c == 40) {
      opened++;
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (c == 41) {
      if (depth == 0) break;
      closed++;
      depth--;
    }
    check(depth >= 0);
    check(depth <= deepest);
  }
  check(opened - closed == depth);
  check(deepest <= opened);
  check(opened + closed <= read);
  check(read <= length);
  return 0;
}
//@ constant
//- if (length < 0 || length > 300) return 0;
//+ if (length < 0 || length > 700) return 0;
//@ statement
//- read++;
//+ read++;
//+ if (c == 92 && read < length) read++;
//@ rename depth=level opened=lefts closed=rights deepest=peak read=at length=end
//@ extract
//- int main(void) {
//+ static int larger(int a, int b) { return a > b ? a : b; }
//+ int main(void) {
//- if (depth > deepest) deepest = depth;
//+ deepest = larger(depth, deepest);
//@ branch
//- check(depth >= 0);
//+ if (c == 59 && depth == 0) { opened = 0; closed = 0; deepest = 0; }
//+ check(depth >= 0);
