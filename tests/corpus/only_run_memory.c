// expect: true --property valid-memsafety
// skip impact: the only run is found by execution
// skip predicate: the only run is found by execution
// skip trace: the only run is found by execution
// skip bounded: the only run is found by execution
#include <stdlib.h>
struct node { int key; struct node *left, *right; };

static struct node *insert(struct node *t, int key) {
  if (!t) {
    t = malloc(sizeof *t);
    t->key = key;
    t->left = t->right = 0;
  } else if (key < t->key)
    t->left = insert(t->left, key);
  else
    t->right = insert(t->right, key);
  return t;
}

static void drop(struct node *t) {
  if (t) {
    drop(t->left);
    drop(t->right);
    free(t);
  }
}

int main(void) {
  struct node *t = 0;
  unsigned x = 1;
  for (int i = 0; i < 200; i++) {
    x = x * 1103515245u + 12345u;
    t = insert(t, (int)(x >> 20));
  }
  while (t && t->left)
    t->left = (drop(t->left), (struct node *)0);
  drop(t);
  return 0;
}
