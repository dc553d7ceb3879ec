// entry: contains
// bug: c != 0 && c != e => c != e
// bug: return c != 0 => return c == 0
// bug: c = c->next => c = c->next->next
struct node { struct node *next; int data; };

/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && e != \null;
    ensures acyclic(next) && sharing_free(next);
    ensures \result != 0 <==> e \in content(list); */
int contains(struct node *list, struct node *e)
{
    struct node *c = list;
    while (c != 0 && c != e)
        c = c->next;
    return c != 0;
}
