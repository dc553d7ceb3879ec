// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// The largest of all cells, of an array whose size is unknown.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 100000);
  int a[n];
  for (unsigned i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  int max = a[0];
  for (unsigned i = 1; i < n; i++)
    if (a[i] > max) max = a[i];
  for (unsigned x = 0; x < n; x++) assert(a[x] <= max);
  return 0;
}
