// expect: not-true --property valid-memsafety
// An optional part of the second element is overwritten and lost.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct data { int n; int *array; };
struct node { struct data *data; struct node *next; };
static struct data *make(void) {
  if (__VERIFIER_nondet_int()) return NULL;
  struct data *d = malloc(sizeof *d);
  if (__VERIFIER_nondet_int()) d->array = malloc(8); else d->array = NULL;
  d->n = __VERIFIER_nondet_int();
  return d;
}
static void drop(struct data *d) {
  if (d == NULL) return;
  if (d->array != NULL) free(d->array);
  free(d);
}
int main(void) {
  struct node *list = NULL;
  do { struct node *n = malloc(sizeof *n); n->next = list; n->data = make();  list = n; } while (__VERIFIER_nondet_int());
  if (list->next) list->next->data = NULL;
  while (list) { struct node *next = list->next; drop(list->data);  free(list); list = next; }
  return 0;
}
