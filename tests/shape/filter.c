// entry: filter
// bug: e->next = 0; => (void)0;
// bug: while (e != 0) => while (1)
// bug: if (before == 0) => if (before != 0)
struct node { struct node *next; int data; };

int unwanted(void);

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next);
    requires head(list);
    ensures acyclic(next) && sharing_free(next); */
struct node *filter(struct node *list)
{
    struct node *before = 0;
    struct node *rest = 0;
    struct node *e = list;
    while (e != 0) {
        rest = e->next;
        if (unwanted()) {
            if (before == 0)
                list = rest;
            else
                before->next = rest;
            e->next = 0;
        } else {
            before = e;
        }
        e = rest;
    }
    return list;
}
