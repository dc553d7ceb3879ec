// entry: remove
// bug: n->next->prev = n->prev; => n->next->prev = n;
// bug: first = first->next; => first = n;
// bug: current = current->next; => current = n;
/* thesis Fig 5.1: DLLIter.remove(Node n), list object with fields first/current */
struct node { struct node *next; struct node *prev; };
struct node *first; struct node *current;
/*@ invariant acyclic(next) && sharing_free(next);
    invariant \forall x; reach(next, x, first) ==> x == first || first == \null;
    field prev: \forall x, y; x != \null && x->prev == y ==>
        (y != \null ==> y->next == x) && (y == \null ==> (\forall z; z != \null ==> z->next != x));
    logic content = { x | reach(next, first, x) && x != \null };
    logic iter = { x | reach(next, current, x) && x != \null };
    invariant iter <= content;
    invariant \forall n; n != \null && !(n \in content) ==> n->next == \null; */
/*@ requires n != \null && n \in content;
    ensures content == \old(content) \diff {n};
    ensures iter == \old(iter) \diff {n}; */
void remove(struct node *n)
{
  if (n==current) current = current->next;
  if (n==first) first = first->next;
  else n->prev->next = n->next;
  if (n->next != 0) n->next->prev = n->prev;
  n->next = 0;
  n->prev = 0;
}
