// entry: traverse
// bug: while (e != 0) => while (1)
// bug: e = e->next => e = e->next->next
// bug: struct node *e = list; => struct node *e = list->next;
struct node { struct node *next; int data; };

/*@ requires acyclic(next) && sharing_free(next);
    ensures acyclic(next) && sharing_free(next); */
void traverse(struct node *list)
{
    struct node *e = list;
    while (e != 0)
        e = e->next;
}
