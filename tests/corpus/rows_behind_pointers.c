// expect: true --property valid-deref
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// What all cells of an array of pointers point to lives and has a size.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint();
  if (n < 1 || n > 1000 || m < 1 || m > 1000) return 0;
  int **a = malloc(n * sizeof *a);
  for (unsigned i = 0; i < n; i++) a[i] = malloc(m * sizeof **a);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) a[i][j] = 1;
  return 0;
}
