// entry: remove_current
// bug: n->next->prev = n->prev; => n->next->prev = n;
// bug: first = n->next; => first = n;
// bug: iter = n->next; => iter = n;
struct node { struct node *next; struct node *prev; };

struct node *first;
struct node *iter;

/*@ invariant acyclic(next) && sharing_free(next);
    field prev: \forall x, y; x != \null && x->prev == y ==>
        (y != \null ==> y->next == x) && (y == \null ==> (\forall z; reach(next, z, x) ==> z == x));
    invariant first != \null ==> first->prev == \null;
    invariant reach(next, first, iter);
    logic content = { x | reach(next, first, x) && x != \null }; */

/*@ requires iter != \null;
    ensures content == \old(content) \diff {\old(iter)}; */
void remove_current(void)
{
    struct node *n = iter;
    iter = n->next;
    if (n->prev == 0)
        first = n->next;
    else
        n->prev->next = n->next;
    if (n->next != 0)
        n->next->prev = n->prev;
    n->next = 0;
    n->prev = 0;
}
