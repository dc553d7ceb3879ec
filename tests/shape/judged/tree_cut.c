// entry: cut
// bug: n->left = 0; => n->right = 0;
// bug: return c; => return n;
// bug: n->left = 0; => n->left = n;
struct node { struct node *left; struct node *right; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */

/*@ requires tree(left, right) && n != \null;
    ensures tree(left, right);
    ensures content(n) == \old(content(n)) \diff content(\result); */
struct node *cut(struct node *n)
{
    struct node *c = n->left;
    n->left = 0;
    return c;
}
