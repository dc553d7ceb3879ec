// expect: true
// A pointer that somebody gives is kept beside others, and never followed.
#include <assert.h>
struct node { struct node *next, *prev; int value; };
struct node *somebody(void);
int main(void) {
  struct node a, b, c;
  a.value = 1;
  b.next = &a; a.prev = &b; a.next = somebody();
  a.prev->next = &c; a.prev = &c;
  c.value = 2;
  assert(b.next == &c && a.prev->value == 2);
  assert(a.value == 1);
  return 0;
}
