// entry: reverse
// bug: list->next = done; => list->next = list;
// bug: while (list != 0) => while (done == 0)
// bug: list = rest; => list = rest->next;
struct node { struct node *next; int data; };

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next);
    requires head(list);
    ensures acyclic(next) && sharing_free(next); */
struct node *reverse(struct node *list)
{
    struct node *done = 0;
    while (list != 0) {
        struct node *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}
