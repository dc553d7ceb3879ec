// Two counters that keep step.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, j = n;
  while (i < n) {
    i++;
    j--;
  }
  if (j != 0)
    reach_error();
  return 0;
}
