// entry: last
// bug: return last(list->next); => return last(list->next->next);
// bug: return last(list->next); => return list->next;
// bug: if (list->next == 0) => if (list == 0)
struct node { struct node *next; int data; };

/*@ requires acyclic(next) && sharing_free(next) && list != \null;
    assigns \nothing;
    ensures \result != \null && \result->next == \null && reach(next, list, \result); */
struct node *last(struct node *list)
{
    if (list->next == 0)
        return list;
    return last(list->next);
}
