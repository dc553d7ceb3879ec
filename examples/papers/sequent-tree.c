// "Symbolic shape analysis", Figure 6.11: what lies below both children of an object is null.
struct node { struct node *left, *right; };

/*@ requires tree(left, right) && x != \null;
    requires reach(left, right, x->left, y) && reach(left, right, x->right, y);
    ensures y == \null && tree(left, right);
    assigns \nothing; */
void sequent(struct node *x, struct node *y)
{
}
