// expect: true --property valid-memsafety
// skip bounded: any length
// skip impact: lists of any length
// skip predicate: lists of any length
// skip trace: lists of any length
// Circular lists in a circular list, each of any length, none included: whichever way they are looked at, they are the same lists.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct link { struct link *next, *prev; };
struct top { struct link link; struct link sub; };
struct sub { int n; struct link link; };
static void add(struct link *new, struct link *head) { struct link *last = head->prev; new->next = head; new->prev = last; last->next = new; head->prev = new; }
int main(void) {
  struct link head = {&head, &head};
  while (__VERIFIER_nondet_int()) {
    struct top *t = malloc(sizeof *t);
    t->sub.next = t->sub.prev = &t->sub;
    while (__VERIFIER_nondet_int()) { struct sub *s = malloc(sizeof *s); s->n = 0; add(&s->link, &t->sub); }
    add(&t->link, &head);
  }
  
  struct link *l = head.next;
  while (l != &head) {
    struct top *t = (struct top *)((char *)l - __builtin_offsetof(struct top, link));
    struct link *m = t->sub.next;
    l = l->next;
    while (m != &t->sub) { struct sub *s = (struct sub *)((char *)m - __builtin_offsetof(struct sub, link)); m = m->next; free(s); }
    free(t);
  }
  return 0;
}
