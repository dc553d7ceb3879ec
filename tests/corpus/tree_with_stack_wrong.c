// expect: not-true --property valid-memsafety
// The nodes of a tree whose right children are forgotten where there is a left one.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *up, *left, *right; };
struct work { struct work *next; struct tree *tree; long room[1]; };
static struct tree *leaf(struct tree *up) {
  struct tree *t = malloc(sizeof *t);
  t->up = up; t->left = t->right = 0;
  return t;
}
static struct work *more(struct tree *t, struct work *next) { struct work *w = malloc(sizeof *w); w->next = next; w->tree = t; return w; }
int main(void) {
  struct tree *root = leaf(0);
  while (__VERIFIER_nondet_int()) {
    struct tree *p = root;
    while (p->left && p->right) p = __VERIFIER_nondet_int() ? p->left : p->right;
    if (!p->left && __VERIFIER_nondet_int()) p->left = leaf(p);
    if (!p->right && __VERIFIER_nondet_int()) p->right = leaf(p);
  }
  struct work *todo = more(root, 0);
  while (todo) {
    struct work *w = todo;
    struct tree *t = w->tree;
    todo = w->next;
    free(w);
    if (t->left) todo = more(t->left, todo);
    else if (t->right) todo = more(t->right, todo);
    free(t);
  }
  return 0;
}
