// entry: reverse_segment
// bug: list->next = end; => list->next = done;
// bug: e->next = done; => e->next = e;
// bug: while (e != end) => while (e != 0)
struct node { struct node *next; int data; };

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && head(list);
    requires reach(next, list, end);
    ensures acyclic(next) && sharing_free(next);
    ensures reach(next, \result, end);
    ensures content(\result) == \old(content(list));
    ensures content(end) == \old(content(end)); */
struct node *reverse_segment(struct node *list, struct node *end)
{
    if (list == end)
        return list;
    struct node *done = 0;
    struct node *e = list;
    while (e != end) {
        struct node *rest = e->next;
        e->next = done;
        done = e;
        e = rest;
    }
    list->next = end;
    return done;
}
