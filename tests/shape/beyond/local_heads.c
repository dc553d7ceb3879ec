// entry: push
// bug: heads[1] = b; => heads[1] = a;
// bug: n->next = heads[k]; => n->next = heads[1 - k];
// bug: heads[k] = n; => heads[k + 1] = n;
struct node { struct node *next; int data; };

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && head(a) && head(b) && head(n);
    requires a == b ==> a == \null;
    requires 0 <= k && k < 2 && n != \null && n->next == \null && n != a && n != b;
    ensures acyclic(next) && sharing_free(next);
    ensures k == 0 ==> content(\result) == \old(content(a)) \union {n};
    ensures k == 1 ==> content(\result) == \old(content(b)) \union {n};
    assigns next, data; */
struct node *push(struct node *a, struct node *b, int k, struct node *n)
{
    struct node *heads[2];
    heads[0] = a;
    heads[1] = b;
    n->next = heads[k];
    heads[k] = n;
    for (struct node *e = heads[k]; e != 0; e = e->next)
        e->data = k;
    return n;
}
