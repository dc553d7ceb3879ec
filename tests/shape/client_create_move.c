// entry: create_move
// bug: add(b, e); => (void)b;
// bug: add(a, e); => add(e, e);
// bug: while (e != 0) => while (1)
#include <stdlib.h>
struct node { struct node *next; struct node *owner; };

/*@ predicate rep() = acyclic(next) && sharing_free(next)
      && (\forall x; x != \null && x->owner != \null ==> reach(next, x->owner, x))
      && (\forall x, y; x != \null && y != \null && x->owner != \null && reach(next, x, y) ==> y->owner == x->owner); */
/*@ predicate set(s) = s != \null && s->owner == s; */
/*@ logic content(s) = { x | x->owner == s && x != s && x != \null }; */

/*@ requires rep() && set(s) && e != \null && e->owner == \null && e->next == \null;
    requires \forall x; reach(next, x, e) ==> x == e;
    assigns next, owner;
    ensures rep() && e->owner == s;
    ensures \forall x; x != e ==> x->owner == \old(x->owner); */
void add(struct node *s, struct node *e)
{
    e->next = s->next;
    s->next = e;
    e->owner = s;
}

/*@ requires rep() && set(s);
    assigns next, owner;
    ensures rep();
    ensures \result == \null ==> content(s) == \empty;
    ensures \result == \null ==> (\forall x; x->owner == \old(x->owner));
    ensures \result != \null ==> \result \in \old(content(s)) && \result->owner == \null && \result->next == \null;
    ensures \forall x; x != \result ==> x->owner == \old(x->owner);
    ensures \result != \null ==> (\forall x; reach(next, x, \result) ==> x == \result); */
struct node *take(struct node *s)
{
    struct node *e = s->next;
    if (e == 0)
        return 0;
    s->next = e->next;
    e->next = 0;
    e->owner = 0;
    return e;
}

int more(void);

/*@ requires rep() && set(a) && set(b) && a != b;
    ensures rep();
    ensures content(a) == \empty;
    ensures \old(content(a) \union content(b)) <= content(b); */
void create_move(struct node *a, struct node *b)
{
    struct node *e = 0;
    while (more()) {
        e = malloc(sizeof *e);
        e->next = 0;
        e->owner = 0;
        add(a, e);
    }
    e = take(a);
    while (e != 0) {
        add(b, e);
        e = take(a);
    }
}
