// expect: false(unreach-call) --property unreach-call --property valid-deref
// skip harness: what the memory that nothing wrote holds is not up to a harness
// The first search also stops where a cell is negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 100000) return 0;
  char *s = malloc(n);
  s[n - 1] = 0;
  int first = 0;
  while (s[first] > 0) first++;
  int second = 0;
  while (s[second] != 0) second++;
  if (first != second) reach_error();
  return 0;
}
