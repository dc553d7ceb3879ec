// Nested interrupts: what was masked is unmasked in the same number.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int depth = 0, masked = 0, handled = 0, raised = 0, limit = 16;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      if (depth < limit) {
        depth++;
        masked = masked + 2;
        raised++;
      }
    } else if (depth > 0) {
      check(masked >= 2);
      depth--;
      masked = masked - 2;
      handled++;
    }
    if (raised > 10000) break;
  }
  check(masked == 2 * depth);
  while (depth > 0) {
    depth--;
    masked = masked - 2;
    handled++;
  }
  check(masked == 0);
  check(handled == raised);
  return 0;
}
//@ constant
//- int depth = 0, masked = 0, handled = 0, raised = 0, limit = 16;
//+ int depth = 0, masked = 0, handled = 0, raised = 0, limit = 20;
//@ statement
//- if (raised > 10000) break;
//+ if (raised > 10000) break;
//+ limit = depth + 4;
//@ rename depth=level masked=off handled=served raised=seen
//@ extract
//- int main(void) {
//+ static int unmask(int value) { return value - 2; }
//+ int main(void) {
//- check(masked >= 2);
//- depth--;
//- masked = masked - 2;
//+ check(masked >= 2);
//+ depth--;
//+ masked = unmask(masked);
//@ branch
//- if (raised > 10000) break;
//+ if (raised > 10000) break;
//+ if (depth == 0) { raised = 0; handled = 0; }
