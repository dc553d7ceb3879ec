// entry: insert_before
// bug: n->next = c; => n->next = n;
// bug: before->next = n; => before->next = before;
// bug: if (before == 0) => if (before != 0)
struct node { struct node *next; int data; };

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next);
    requires n != \null && n->next == \null && p != \null;
    requires head(n) && head(list);
    requires reach(next, list, p) && !reach(next, list, n) && !reach(next, p, n);
    ensures acyclic(next) && sharing_free(next); */
struct node *insert_before(struct node *list, struct node *p, struct node *n)
{
    struct node *c = list;
    struct node *before = 0;
    while (c != p) {
        before = c;
        c = c->next;
    }
    n->next = c;
    if (before == 0)
        return n;
    before->next = n;
    return list;
}
