// expect: true --property valid-deref
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char s[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  char t[150] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
  if (__VERIFIER_nondet_int()) s[0] = 'c';
  printf("%s %s", s, t);
  return 0;
}
