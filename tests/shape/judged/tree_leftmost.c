// entry: leftmost
// bug: e = e->left; => e = e->right;
// bug: e->left != 0 => e != 0
// bug: return e; => return root;
struct node { struct node *left; struct node *right; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */

/*@ requires tree(left, right) && root != \null;
    ensures tree(left, right);
    ensures \result \in content(root) && \result->left == \null; */
struct node *leftmost(struct node *root)
{
    struct node *e = root;
    while (e->left != 0)
        e = e->left;
    return e;
}
