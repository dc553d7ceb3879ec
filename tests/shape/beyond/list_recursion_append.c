// entry: append
// bug: a->next = append(a->next, b); => append(a->next, b);
// bug: return b; => return a;
// bug: return a; => return b;
struct node { struct node *next; int data; };

/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next) && head(b);
    requires content(a) \inter content(b) == \empty;
    assigns next;
    ensures acyclic(next) && sharing_free(next);
    ensures a != \null ==> \result == a;
    ensures a == \null ==> \result == b;
    ensures content(\result) == \old(content(a)) \union \old(content(b));
    ensures \forall x; !(x \in \old(content(a))) ==> x->next == \old(x->next); */
struct node *append(struct node *a, struct node *b)
{
    if (a == 0)
        return b;
    a->next = append(a->next, b);
    return a;
}
