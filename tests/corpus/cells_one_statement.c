// expect: true --property unreach-call --blocks single
// skip bounded: an array of any length
// skip trace: no fact about all cells is a predicate of its automata
// A fact about all cells is known at the head of a loop; the statement that reads a cell comes later, and is a step of its own.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int table[512];
int main(void) {
  int used = __VERIFIER_nondet_int(), i;
  if (used < 0 || used > 512) return 0;
  for (i = 0; i < used; i++)
    table[i] = 41;
  for (i = 0; i < used; i++) {
    int seen = table[i];
    seen = seen + 1;
    if (seen != 42) reach_error();
  }
  return 0;
}
