// "Symbolic shape analysis", Example 57 and Figure 5.8: what is inserted in front of a skip list keeps its field constraint.
struct node { struct node *next, *nextSub; };

/*@ predicate constraint() = \forall v; v != \null ==> reach(next, v->next, v->nextSub); */

/*@ requires acyclic(next) && constraint() && root != \null && e != \null && e != root;
    requires \forall v; v->next != e;
    ensures constraint();
    assigns next, nextSub; */
void insert(struct node *root, struct node *e)
{
    e->nextSub = root->nextSub;
    e->next = root;
}
