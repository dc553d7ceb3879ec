// entry: add
// bug: e->nextSub = scurrent; => e->nextSub = e;
// bug: prev->next = e; => prev->next = current;
// bug: prev = current; current = current->next; => prev = current; current = current->nextSub;
/* thesis Fig 5.4 verbatim: static root, content = ..., invariant on isolated */
struct node { struct node *next; struct node *nextSub; int value; };
struct node *root; extern int __VERIFIER_nondet_int(void);
/*@ invariant acyclic(next) && sharing_free(next);
    field nextSub: \forall x, y; x != \null && x->nextSub == y ==> reach(next, x->next, y);
    logic content = { x | reach(next, root, x) && x != \null };
    invariant \forall x; x != \null && !reach(next, root, x) ==> x->next == \null && (\forall y; y != \null ==> y->next != x); */
/*@ requires e != \null && !(e \in content);
    ensures content == \old(content) \union {e}; */
void add(struct node *e)
{
  if (root == 0) { root = e; return; }
  int v = e->value;
  struct node *sprev = root;
  struct node *scurrent = root->nextSub;
  while ((scurrent != 0) && (scurrent->value < v)) { sprev = scurrent; scurrent = scurrent->nextSub; }
  struct node *prev = sprev;
  struct node *current = sprev->next;
  while ((current != scurrent) && (current->value < v)) { prev = current; current = current->next; }
  e->next = current; prev->next = e;
  if (__VERIFIER_nondet_int()) { sprev->nextSub = e; e->nextSub = scurrent; } else { e->nextSub = 0; }
}
