// entry: add
// bug: above->left = n; => above->left = above;
// bug: above->right = n; => n->right = above;
// bug: if (above == 0) => if (root != 0)
struct node { struct node *left; struct node *right; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */
/*@ predicate root(r) = \forall x; x != \null && x->left == r || x != \null && x->right == r ==> r == \null; */

/*@ requires tree(left, right) && root(root) && root(n);
    requires n != \null && n->left == \null && n->right == \null;
    requires !(n \in content(root));
    ensures tree(left, right);
    ensures content(\result) == \old(content(root)) \union {n}; */
struct node *add(struct node *root, struct node *n)
{
    struct node *above = 0;
    struct node *e = root;
    int left = 0;
    while (e != 0) {
        above = e;
        left = n->data < e->data;
        if (left)
            e = e->left;
        else
            e = e->right;
    }
    if (above == 0)
        return n;
    if (left)
        above->left = n;
    else
        above->right = n;
    return root;
}
