// expect: false(valid-deref) --property valid-deref
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char b[8];
  int n = __VERIFIER_nondet_int();
  if (n > 12345) return 0;
  if (n == 12345) sprintf(b, "%s-%d", "ab", n);
  return 0;
}
