// expect: true --property assert
// What frees memory is a function of the program. Nothing depends on the end of the object, so the call is sliced away,
// and the proof about the rest counts though memory like that is read.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct box { int n; };

static void release(struct box *b) {
  free(b);
}

int main(void) {
  int total = 0;
  while (__VERIFIER_nondet_int()) {
    struct box *b = malloc(sizeof *b);
    if (!b)
      return 0;
    b->n = __VERIFIER_nondet_int();
    if (total < 1000 && b->n > 0 && b->n < 10)
      total += b->n;
    release(b);
    assert(total >= 0);
  }
  return 0;
}
