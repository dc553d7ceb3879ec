// entry: add
// bug: n->next = c; => n->next = n;
// bug: c->data < n->data => c->data <= before->data
// bug: if (before == 0) => if (c == 0)
struct node { struct node *next; int data; };

/*@ predicate sorted() = \forall x; x != \null && x->next != \null ==> x->data <= x->next->data; */
/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && sorted();
    requires n != \null && n->next == \null && !reach(next, list, n);
    requires head(n) && head(list);
    ensures acyclic(next) && sharing_free(next) && sorted();
    ensures content(\result) == \old(content(list)) \union {n}; */
struct node *add(struct node *list, struct node *n)
{
    struct node *c = list;
    struct node *before = 0;
    while (c != 0 && c->data < n->data) {
        before = c;
        c = c->next;
    }
    n->next = c;
    if (before == 0)
        return n;
    before->next = n;
    return list;
}
