// expect: true --property unreach-call
// Each pass has memory of its own, and the pointer may go back to that of the pass before.
#include <alloca.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *p = 0, *older = 0;
  int i, n = __VERIFIER_nondet_int();
  if (n < 1 || n > 3) return 0;
  for (i = 0; i <= n; i++) {
    older = p;
    p = alloca(sizeof *p);
    *p = i;
  }
  p = older;
  if (*p != n - 1) reach_error();
  return 0;
}
