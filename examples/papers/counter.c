// "Abstractions from proofs", Figure 2: the predicates of the paper are x = ctr, x = ctr - 1, x = y - 1 and
// y = m + 1, one for each place.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  int ctr = nondet(), m = nondet(), x, y;
  if (ctr > 1000000) return 0;
  x = ctr;
  ctr = ctr + 1;
  y = ctr;
  if (x == m)
    if (y != m + 1)
      reach_error();
  return 0;
}
