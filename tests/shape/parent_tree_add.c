// entry: add
// bug: n->parent = above; => n->parent = root;
// bug: above->right = n; => n->right = above;
// bug: if (above == 0) => if (root != 0)
struct node { struct node *left; struct node *right; struct node *parent; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */
/*@ predicate root(r) = \forall x; x != \null && x->left == r || x != \null && x->right == r ==> r == \null; */
/*@ predicate linked_left() = \forall x; x != \null && x->left != \null ==> x->left->parent == x; */
/*@ predicate linked_right() = \forall x; x != \null && x->right != \null ==> x->right->parent == x; */
/*@ predicate linked_back() = \forall x; x != \null && x->parent != \null ==> x->parent->left == x || x->parent->right == x; */

/*@ requires tree(left, right) && root(root) && root(n);
    requires linked_left() && linked_right() && linked_back();
    requires n != \null && n->left == \null && n->right == \null && n->parent == \null;
    requires !(n \in content(root));
    ensures tree(left, right) && linked_left() && linked_right() && linked_back();
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
    n->parent = above;
    if (left)
        above->left = n;
    else
        above->right = n;
    return root;
}
