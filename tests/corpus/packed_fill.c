// expect: true --property assert
// All cells of the objects are filled, wherever they lie.
#include <assert.h>
#include <string.h>

struct __attribute__((packed)) s {
  char c;
  short d;
  int x;
} a[4];

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i >= 4)
    return 0;
  a[i].x = 5;
  a[i].c = 1;
  a[i].d = 3;
  memset(a, 0, sizeof a);
  assert(a[i].x == 0);
  return 0;
}
