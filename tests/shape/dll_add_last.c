// entry: add_last
// bug: n->prev = e; => n->prev = n;
// bug: e->next = n; => e->next = e;
// bug: while (e->next != 0) => while (e != 0)
struct node { struct node *next; struct node *prev; int data; };

/*@ predicate linked() = \forall x, y; x->next == y && y != \null ==> y->prev == x; */
/*@ predicate linked_back() = \forall x, y; x->prev == y && y != \null ==> y->next == x; */
/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && linked() && linked_back();
    requires n != \null && n->next == \null && n->prev == \null;
    requires list == \null || list->prev == \null;
    requires !reach(next, list, n) && head(n);
    ensures acyclic(next) && sharing_free(next) && linked() && linked_back();
    ensures content(\result) == \old(content(list)) \union {n}; */
struct node *add_last(struct node *list, struct node *n)
{
    struct node *e = list;
    if (e == 0)
        return n;
    while (e->next != 0)
        e = e->next;
    e->next = n;
    n->prev = e;
    return list;
}
