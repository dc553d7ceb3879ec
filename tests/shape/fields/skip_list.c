// entry: insert_first
// bug: e->nextSub = root->nextSub; => e->nextSub = e;
// bug: e->next = root; => e->next = e;
// bug: e->nextSub = root->nextSub; => root->nextSub = e;
struct node { struct node *next; struct node *nextSub; };

/*@ invariant acyclic(next) && sharing_free(next);
    field nextSub: \forall x, y; x != \null && x->nextSub == y ==> reach(next, x->next, y); */

/*@ requires root != \null && e != \null && e->next == \null;
    requires \forall x; reach(next, x, e) ==> x == e;
    requires \forall x; reach(next, x, root) ==> x == root;
    requires e != root;
    ensures reach(next, e, root) && e->nextSub == \old(root->nextSub); */
void insert_first(struct node *root, struct node *e)
{
    e->nextSub = root->nextSub;
    e->next = root;
}
