// "Symbolic shape analysis", Example 38 and Figure 3.7: x is on the list of z, and y becomes what follows x.
struct node { struct node *next; };

/*@ requires acyclic(next) && x != \null && y != \null && z != \null;
    requires reach(next, z, x) && !reach(next, z, y) && !reach(next, y, x);
    ensures reach(next, z, x) && reach(next, x, y) && reach(next, z, y);
    ensures \forall v; \old(reach(next, y, v)) ==> reach(next, x, v) && reach(next, y, v) && reach(next, z, v);
    ensures acyclic(next);
    assigns next; */
void update(struct node *x, struct node *y, struct node *z)
{
    x->next = y;
}
