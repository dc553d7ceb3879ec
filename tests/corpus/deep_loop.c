// expect: false(unreach-call)
// Found by executing it: a solver would unroll a thousand rounds.
extern void reach_error(void);
int a[1000];
int main(void) {
  for (int i = 0; i < 1000; i++) a[i] = i;
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += a[i];
  if (sum == 499500) reach_error();
  return 0;
}
// skip impact: needs two thousand unrollings
// skip predicate: needs two thousand unrollings
// skip trace: needs two thousand unrollings
