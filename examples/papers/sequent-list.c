// "Symbolic shape analysis", Figure 6.10: y gets a back pointer to x, and so leads back to z. (The sequent is printed with
// x and y exchanged; the file for MONA beside it is this one.)
struct node { struct node *next, *back; };

/*@ requires acyclic(next) && sharing_free(next) && x != \null;
    requires reach(next, z, x) && !reach(next, z, y);
    requires \forall v, w; v->back == w ==> w->next == v || w == \null && (v == \null || \forall u; u->next != v);
    ensures reach(back, y, z);
    assigns back; */
void sequent(struct node *x, struct node *y, struct node *z)
{
    y->back = x;
}
