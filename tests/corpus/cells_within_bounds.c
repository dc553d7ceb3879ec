// expect: true --property unreach-call --property valid-deref
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// What was asked of a value before it was written is known of the cell, and of the largest one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0 || n > 100000) return 0;
  int *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) {
    int value = __VERIFIER_nondet_int();
    if (value > 100) return 0;
    a[i] = value;
  }
  int largest = a[0];
  for (int i = 1; i < n; i++)
    if (a[i] > largest) largest = a[i];
  if (largest > 100) reach_error();
  return 0;
}
