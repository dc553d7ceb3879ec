// entry: get_last
// bug: last = e; => last = e->next;
// bug: e = e->next; => e = e->next->next;
// bug: return last; => return list;
struct node { struct node *next; int data; };

/*@ requires acyclic(next) && sharing_free(next);
    ensures acyclic(next) && sharing_free(next);
    ensures list != \null ==> \result != \null && \result->next == \null && reach(next, list, \result); */
struct node *get_last(struct node *list)
{
    struct node *e = list;
    struct node *last = 0;
    while (e != 0) {
        last = e;
        e = e->next;
    }
    return last;
}
