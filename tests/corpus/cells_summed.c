// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// What is in the cells makes a sum known.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 1 && n < 100000);
  int a[n];
  long sum = 0;
  for (int i = 0; i < n; i++) a[i] = 3;
  for (int i = 0; i < n; i++) sum += a[i];
  assert(sum == 3 * n);
  return 0;
}
