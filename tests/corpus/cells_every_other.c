// expect: true --property unreach-call --property valid-deref
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// Two loops come to every other cell each.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 100000) return 0;
  int *a = malloc(2 * n * sizeof(int));
  for (int i = 0; i < 2 * n; i += 2) a[i] = 5;
  for (int i = 1; i < 2 * n; i += 2) a[i] = 7;
  for (int i = 0; i < 2 * n; i += 2)
    if (a[i] != 5) reach_error();
  return 0;
}
