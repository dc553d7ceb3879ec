// expect: not-true
// Two pointers that somebody gives may be the same, and are followed.
#include <assert.h>
struct node { struct node *next; int value; };
struct node *somebody(void);
int main(void) {
  struct node a;
  a.next = somebody();
  struct node *p = somebody();
  if (a.next == 0 || p == 0) return 0;
  struct node *q = a.next;
  p->value = 1;
  q->value = 2;
  assert(p->value == 1);
  return 0;
}
