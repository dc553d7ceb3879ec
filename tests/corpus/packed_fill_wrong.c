// expect: false(assert) --property assert
// A fill met the cells of a packed structure only where they lie at multiples of their size, and left the others as they were.
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
  if (i < 0 || i >= 2)
    return 0;
  a[i].x = 5;
  a[i].c = 1;
  a[i].d = 3;
  memset(a, 0, sizeof a);
  assert(a[i].x == 5);
  return 0;
}
