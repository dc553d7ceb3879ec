// expect: false(assert) --property assert
// skip harness: the run reads memory that nothing wrote, which no compiled program repeats
// A pointer out of nowhere is asked as a number whether it is null, as tools that rewrite C do. The error needs one that
// is null in memory that another one leads to, which is not.
#include <assert.h>
#include <stdlib.h>
struct key { int kind; void *secret; };
struct keys { int count; struct key of[3]; };
struct link { int state; struct keys *keys; };

static int turn(struct link *l) {
  int weak = 0;
  l->state = 1;
  if ((unsigned long)l->keys == (unsigned long)((void *)0))
    return -1;
  while (l->state < 4) {
    if (l->state == 2 && l->keys->count > 3)
      weak = 2;
    if (l->state == 3 && (unsigned long)l->keys->of[0].secret == 0UL)
      weak = 2 * weak;
    l->state += 1;
  }
  assert(weak != 4);
  return weak;
}

int main(void) {
  struct link *l = malloc(sizeof *l);
  return l ? turn(l) : 0;
}
