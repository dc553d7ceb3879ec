// entry: partition
// bug: add(b, e); => (void)b;
// bug: add(c, e); => add(c, a);
// bug: while (e != 0) => while (1)
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

int wanted(void);

/*@ requires rep() && set(a) && set(b) && set(c) && a != b && a != c && b != c;
    ensures rep();
    ensures content(a) == \empty;
    ensures content(b) \union content(c) == \old(content(a) \union content(b) \union content(c));
    ensures \forall x; \old(x->owner) != a ==> x->owner == \old(x->owner); */
void partition(struct node *a, struct node *b, struct node *c)
{
    struct node *e = take(a);
    while (e != 0) {
        if (wanted())
            add(b, e);
        else
            add(c, e);
        e = take(a);
    }
}
