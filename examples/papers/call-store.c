// "Abstractions from proofs", Figure 11: the cell that inc gets has, after it, one more than before.
extern int nondet(void);
extern void reach_error(void);

void inc(int *x) { *x = *x + 1; }

int main(void) {
  int cell = nondet(), other = nondet();
  int *y = &cell;
  if (nondet()) y = &other;
  *y = 0;
  inc(y);
  if (*y != 1) reach_error();
  return 0;
}
