// expect: true --property valid-memsafety
// skip bounded: any length
// skip impact: lists of any length
// skip predicate: lists of any length
// skip trace: lists of any length
// A list of two kinds of elements, as many of each and in any order, and a last one that is told from them by its kind: what walks up to it comes to no null pointer.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct item {
  int kind;
  int even;
  struct item *next;
};

static struct item *make(void) {
  struct item *made = malloc(sizeof *made);
  if (!made)
    exit(1);
  return made;
}

int main(void) {
  struct item *list = make(), *at = list;
  while (__VERIFIER_nondet_int()) {
    at->even = __VERIFIER_nondet_int();
    at->kind = at->even ? 10 : 20;
    at->next = make();
    at = at->next;
  }
  at->kind = 30;
  at->next = 0;
  int seen = 0;
  for (at = list; at->kind != 30; at = at->next)
    seen += at->even == 0;
  for (at = list; at->next; list = at) {
    at = at->next;
    free(list);
  }
  free(at);
  return 0;
}
