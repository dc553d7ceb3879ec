// entry: add
// bug: n->next = c; => n->next = n;
// bug: sub->nextSub = n; => n->nextSub = n;
// bug: while (ahead != 0 && ahead->data < n->data) => while (ahead->data < n->data)
struct node { struct node *next; struct node *nextSub; int data; };

int tall(void);

/*@ predicate skips() = \forall x, y; x != \null && x->nextSub == y ==> reach(next, x->next, y); */
/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */

/*@ requires acyclic(next) && sharing_free(next) && skips();
    requires list != \null;
    requires n != \null && n->next == \null && n->nextSub == \null && !reach(next, list, n);
    requires head(n);
    ensures acyclic(next) && sharing_free(next) && skips();
    ensures content(list) == \old(content(list)) \union {n}; */
void add(struct node *list, struct node *n)
{
    struct node *sub = list;
    struct node *ahead = list->nextSub;
    while (ahead != 0 && ahead->data < n->data) {
        sub = ahead;
        ahead = ahead->nextSub;
    }
    struct node *before = sub;
    struct node *c = sub->next;
    while (c != ahead && c->data < n->data) {
        before = c;
        c = c->next;
    }
    n->next = c;
    before->next = n;
    if (tall()) {
        n->nextSub = ahead;
        sub->nextSub = n;
    }
}
