// expect: false(unreach-call) --property unreach-call
// The part is written with the cell behind it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *calloc(unsigned long, unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int(), from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
  if (from < 0 || from > to || to > n || n > 100000) return 0;
  int *a = calloc(n + 1, sizeof *a);
  for (int i = from; i <= to; i++) a[i] = 6;
  for (int i = from; i < to; i++)
    if (a[i] != 6) reach_error();
  for (int i = to; i < n; i++)
    if (a[i] != 0) reach_error();
  for (int i = 0; i < from; i++)
    if (a[i] != 0) reach_error();
  return 0;
}
