// "Abstractions from proofs", Figure 9: *y = 0 is the predicate after y = x.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  int p = nondet(), q = nondet();
  int *x = &p, *y = &q;
  if (nondet()) x = &q, y = &p;
  if (x != y) {
    *x = 0;
    y = x;
    if (y == x)
      if (*y != 0)
        reach_error();
  }
  return 0;
}
