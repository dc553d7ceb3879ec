// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// `i = 0` stands twice in a row, and the search ends early.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 2 || n > 5000) return 0;
  int a[n];
  int i = 0;
  for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  int key = __VERIFIER_nondet_int();
  int f = -1;
  for (i = 0; i < n; i++)
    if (a[i] == key) {
      f = i;
      break;
    }
  if (f < 0)
    for (i = 0; i < n; i++) assert(a[i] != key);
  else
    assert(a[f] == key);
}
