// expect: true --property valid-free
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// No two cells point to one object, so that what is freed is not what is freed next.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 1 || n > 1000) return 0;
  int **a = malloc(n * sizeof *a);
  for (unsigned i = 0; i < n; i++) a[i] = malloc(sizeof **a);
  for (unsigned i = 0; i < n; i++) free(a[i]);
  free(a);
  return 0;
}
