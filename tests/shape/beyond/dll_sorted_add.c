// entry: add
// bug: after->data < n->data => n->data < after->data
// bug: n->prev = before; => n->prev = after;
// bug: after->prev = n; => after->prev = before;
struct node { struct node *next; struct node *prev; int data; };

/*@ predicate linked() = \forall x, y; x->next == y && y != \null ==> y->prev == x; */
/*@ predicate linked_back() = \forall x, y; x->prev == y && y != \null ==> y->next == x; */
/*@ predicate sorted() = \forall x; x != \null && x->next != \null ==> x->data <= x->next->data; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && linked() && linked_back() && sorted();
    requires list == \null || list->prev == \null;
    requires n != \null && n->next == \null && n->prev == \null && !(n \in content(list));
    ensures acyclic(next) && sharing_free(next) && linked() && linked_back() && sorted();
    ensures \result->prev == \null;
    ensures content(\result) == \old(content(list)) \union {n}; */
struct node *add(struct node *list, struct node *n)
{
    struct node *before = 0;
    struct node *after = list;
    while (after != 0 && after->data < n->data) {
        before = after;
        after = after->next;
    }
    n->next = after;
    n->prev = before;
    if (after != 0)
        after->prev = n;
    if (before == 0)
        return n;
    before->next = n;
    return list;
}
