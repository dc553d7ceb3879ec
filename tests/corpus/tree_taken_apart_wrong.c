// expect: not-true --property valid-memsafety
// A tree of which a leaf is freed that its parent still leads to, where it is the only child on the right.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct tree { struct tree *left, *right; int key; };
static struct tree *leaf(void) { struct tree *t = malloc(sizeof *t); t->left = t->right = 0; t->key = __VERIFIER_nondet_int(); return t; }
int main(void) {
  struct tree *root = leaf();
  while (__VERIFIER_nondet_int()) {
    struct tree *p = root;
    while (p->left && p->right) p = __VERIFIER_nondet_int() ? p->left : p->right;
    if (!p->left && __VERIFIER_nondet_int()) p->left = leaf();
    if (!p->right && __VERIFIER_nondet_int()) p->right = leaf();
  }
  while (root) {
    struct tree *parent = 0, *p = root;
    while (p->left || p->right) { parent = p; p = p->right ? p->right : p->left; }
    if (!parent) root = 0;
    else if (parent->left == p) parent->left = 0;
    else if (parent->left) parent->right = 0;
    free(p);
  }
  return 0;
}
