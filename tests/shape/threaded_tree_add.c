// entry: add
// bug: n->thread = after; => n->thread = above;
// bug: above->left = n; => above->left = above;
// bug: left = n->data < e->data; => left = e->data < n->data;
struct node { struct node *left; struct node *right; struct node *thread; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */
/*@ predicate root(r) = \forall x; x != \null && reach(left, right, x, r) ==> x == r || r == \null; */
/*@ field thread: \forall x; x != \null && x->thread != \null ==> x->thread->left != \null && reach(left, right, x->thread->left, x); */

/*@ predicate sorted() = \forall x, y; x != \null && y != \null ==>
        (x->left != \null && reach(left, right, x->left, y) ==> y->data < x->data) &&
        (x->right != \null && reach(left, right, x->right, y) ==> x->data <= y->data); */

/*@ requires tree(left, right) && root(root) && root(n) && sorted();
    requires n != \null && n->left == \null && n->right == \null && n->thread == \null;
    requires !(n \in content(root));
    ensures tree(left, right) && sorted();
    ensures content(\result) == \old(content(root)) \union {n}; */
struct node *add(struct node *root, struct node *n)
{
    struct node *above = 0;
    struct node *after = 0;
    struct node *e = root;
    int left = 0;
    while (e != 0) {
        above = e;
        left = n->data < e->data;
        if (left) {
            after = e;
            e = e->left;
        } else {
            e = e->right;
        }
    }
    if (above == 0)
        return n;
    n->thread = after;
    if (left)
        above->left = n;
    else
        above->right = n;
    return root;
}
