// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// A copy of a copy: what is said of the first two arrays is used at places of the third.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n > 0 && n < 100000);
  int a[n], b[n], c[n];
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) b[i] = a[i];
  for (int i = 0; i < n; i++) c[i] = b[i];
  for (int x = 0; x < n; x++) assert(a[x] == c[x]);
  return 0;
}
