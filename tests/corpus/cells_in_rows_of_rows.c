// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// Three loops in each other; the widths of the rows are variables that have one value.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int a[20][30][40], b[20][30][40];

int main(void) {
  int m = 20, n = 30, p = 40;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++) b[i][j][k] = __VERIFIER_nondet_int();
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++) a[i][j][k] = b[i][j][k];
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < p; k++) assert(a[i][j][k] == b[i][j][k]);
  return 0;
}
