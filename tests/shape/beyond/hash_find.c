// entry: find
// bug: e = e->next => e = e->next->next
// bug: e != 0 && e->key => e->key
// bug: table[h] => table[h + 1]
struct node { struct node *next; int key; };

struct node *table[16];

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ invariant acyclic(next) && sharing_free(next);
    invariant \forall integer i; head(table[i]);
    invariant \forall integer i, j; table[i] == table[j] && table[i] != \null ==> i == j; */

/*@ requires 0 <= h && h < 16;
    ensures \result != \null ==> \result \in content(table[h]) && \result->key == key;
    ensures \result == \null ==> (\forall x; x \in content(table[h]) ==> x->key != key);
    assigns \nothing; */
struct node *find(int h, int key)
{
    struct node *e = table[h];
    while (e != 0 && e->key != key)
        e = e->next;
    return e;
}
