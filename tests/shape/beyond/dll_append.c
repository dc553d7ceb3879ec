// entry: append
// bug: b->prev = last; => b->prev = a;
// bug: last->next = b; => a->next = b;
// bug: last = last->next; => last = last->next->next;
struct node { struct node *next; struct node *prev; };

/*@ predicate linked() = \forall x, y; x->next == y && y != \null ==> y->prev == x; */
/*@ predicate linked_back() = \forall x, y; x->prev == y && y != \null ==> y->next == x; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && linked() && linked_back();
    requires a == \null || a->prev == \null;
    requires b == \null || b->prev == \null;
    requires content(a) \inter content(b) == \empty;
    ensures acyclic(next) && sharing_free(next) && linked() && linked_back();
    ensures \result == \null || \result->prev == \null;
    ensures content(\result) == \old(content(a)) \union \old(content(b)); */
struct node *append(struct node *a, struct node *b)
{
    if (a == 0)
        return b;
    struct node *last = a;
    while (last->next != 0)
        last = last->next;
    last->next = b;
    if (b != 0)
        b->prev = last;
    return a;
}
