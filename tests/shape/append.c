// entry: append
// bug: e->next = b; => e->next = a;
// bug: if (e == 0) => if (b == 0)
// bug: while (e->next != 0) => while (e != 0)
struct node { struct node *next; int data; };

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next);
    requires head(b);
    requires \forall x; reach(next, a, x) && reach(next, b, x) ==> x == \null;
    ensures acyclic(next) && sharing_free(next); */
struct node *append(struct node *a, struct node *b)
{
    struct node *e = a;
    if (e == 0)
        return b;
    while (e->next != 0)
        e = e->next;
    e->next = b;
    return a;
}
