// "Symbolic shape analysis", Figure 1.1: a set as a doubly-linked list, as it is printed there. The empty list has
// no first node whose prev could be set.
struct node { struct node *next, *prev; int data; };

struct node *root;

/*@ predicate linked() = \forall x, y; x->next == y && y != \null ==> y->prev == x; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ invariant acyclic(next) && sharing_free(next) && linked();
    invariant root == \null || root->prev == \null;
    invariant \forall x; reach(next, x, root) ==> x == root || root == \null; */

/*@ requires n != \null && n->next == \null && n->prev == \null && n != root;
    requires \forall x; reach(next, x, n) ==> x == n;
    ensures content(root) == \old(content(root)) \union {n};
    assigns root, next, prev; */
void add(struct node *n)
{
    n->next = root;
    root->prev = n;
    root = n;
}
