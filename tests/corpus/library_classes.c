// expect: true --property unreach-call
#include <ctype.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#undef isalpha
#undef isupper
#undef islower
#undef toupper
int main(void) {
  int c = __VERIFIER_nondet_int();
  if (c < 0 || c > 255) return 0;
  if (!isalpha(c) != !(isupper(c) || islower(c))) reach_error();
  if (islower(c) && !isupper(toupper(c))) reach_error();
  return 0;
}
