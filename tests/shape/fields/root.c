// entry: set
// bug: root = e; => root = e->next;
// bug: root = e; => root = root;
// bug: root = e; => e->next = e; root = e;
struct node { struct node *next; };
struct node *root;
/*@ invariant acyclic(next) && sharing_free(next);
    invariant \forall x; x != \null && !reach(next, root, x) ==> x->next == \null;
    logic content = { x | reach(next, root, x) && x != \null }; */
/*@ requires e != \null && root == \null;
    ensures content == {e}; */
void set(struct node *e) { root = e; }
