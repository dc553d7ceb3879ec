// entry: remove_rightmost
// bug: above->right = e->left; => above->right = 0;
// bug: while (e->right != 0) => while (e->left != 0)
// bug: return root->left; => return root;
struct node { struct node *left; struct node *right; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */
/*@ predicate root(r) = \forall x; x != \null && x->left == r || x != \null && x->right == r ==> r == \null; */

struct node *removed;

/*@ requires tree(left, right) && root(root) && root != \null;
    ensures tree(left, right);
    ensures removed != \null && removed->right == \null && removed \in \old(content(root));
    ensures content(\result) == \old(content(root)) \diff {removed}; */
struct node *remove_rightmost(struct node *root)
{
    if (root->right == 0) {
        removed = root;
        return root->left;
    }
    struct node *above = root;
    struct node *e = root->right;
    while (e->right != 0) {
        above = e;
        e = e->right;
    }
    above->right = e->left;
    e->left = 0;
    removed = e;
    return root;
}
