// expect: true --property unreach-call --property valid-deref
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// A pointer that moves by whole cells up to the end.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 100000) return 0;
  int *first = malloc(n * sizeof *first), *end = first + n;
  for (int *p = first; p != end; p++) *p = 3;
  for (int *p = first; p != end; p++)
    if (*p != 3) reach_error();
  return 0;
}
