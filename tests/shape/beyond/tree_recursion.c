// entry: contains
// bug: return contains(root->right, n); => return 0;
// bug: if (root == n) => if (root->left == n)
// bug: if (contains(root->left, n)) => if (contains(root->right, n))
struct node { struct node *left; struct node *right; int data; };

/*@ logic content(r) = { x | reach(left, right, r, x) && x != \null }; */

/*@ requires tree(left, right) && n != \null;
    assigns \nothing;
    ensures tree(left, right);
    ensures \result != 0 <==> n \in content(root); */
int contains(struct node *root, struct node *n)
{
    if (root == 0)
        return 0;
    if (root == n)
        return 1;
    if (contains(root->left, n))
        return 1;
    return contains(root->right, n);
}
