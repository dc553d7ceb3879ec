// entry: partition
// bug: e->next = other; => e->next = e;
// bug: before->next = rest; => (void)0;
// bug: while (e != 0) => while (1)
struct node { struct node *next; int data; };

int wanted(void);

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */

/*@ requires acyclic(next) && sharing_free(next);
    requires head(list);
    ensures acyclic(next) && sharing_free(next); */
struct node *partition(struct node *list)
{
    struct node *before = 0;
    struct node *other = 0;
    struct node *rest = 0;
    struct node *e = list;
    while (e != 0) {
        rest = e->next;
        if (wanted()) {
            if (before == 0)
                list = rest;
            else
                before->next = rest;
            e->next = other;
            other = e;
        } else {
            before = e;
        }
        e = rest;
    }
    return other;
}
