// expect: false(valid-deref) -p valid-deref
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[3];
  int i = __VERIFIER_nondet_int();
  if (i == 77) fprintf(stderr, "%d\n", i);
  if (i >= 0 && i < 4) a[i] = 1;
  return 0;
}
