// entry: move
// bug: b = e; => (void)e;
// bug: e->next = b; => e->next = e;
// bug: while (a != 0) => while (b == 0)
struct node { struct node *next; int data; };

/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next) && head(a) && head(b);
    requires content(a) \inter content(b) == \empty;
    ensures acyclic(next) && sharing_free(next);
    ensures content(\result) == \old(content(a) \union content(b)); */
struct node *move(struct node *a, struct node *b)
{
    while (a != 0) {
        struct node *e = a;
        a = a->next;
        e->next = b;
        b = e;
    }
    return b;
}
