// expect: false(valid-free) --property valid-free
// One row is freed again and again.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 1 || n > 1000) return 0;
  int **a = malloc(n * sizeof *a);
  for (unsigned i = 0; i < n; i++) a[i] = malloc(sizeof **a);
  for (unsigned i = 0; i < n; i++) free(a[0]);
  free(a);
  return 0;
}
