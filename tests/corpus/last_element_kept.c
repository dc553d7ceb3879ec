// expect: false(valid-memtrack) --property valid-memsafety
// Only the last element is kept. What it owns leads back to it, and to none of the others.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct own { struct node *of; };
struct node { struct node *next; struct own *own; };
static struct node *made(void) {
  struct node *n = malloc(sizeof *n);
  n->next = 0;
  n->own = malloc(sizeof *n->own);
  n->own->of = n;
  return n;
}
int main(void) {
  struct node *first = made(), *last = first;
  while (__VERIFIER_nondet_int()) {
    last->next = made();
    last = last->next;
  }
  first = 0;
  free(last->own);
  free(last);
  return 0;
}
