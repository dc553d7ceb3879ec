// entry: take
// bug: previous->next = e->next; => previous->next = 0;
// bug: table[h] = e->next; => table[h] = 0;
// bug: if (previous != 0) => if (e->next != 0)
struct node { struct node *next; int key; };

struct node *table[16];

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ invariant acyclic(next) && sharing_free(next);
    invariant \forall integer i; head(table[i]);
    invariant \forall integer i, j; table[i] == table[j] && table[i] != \null ==> i == j; */

/*@ requires 0 <= h && h < 16 && n != \null;
    ensures content(table[h]) == \old(content(table[h])) \diff {n};
    ensures \forall integer i; i != h ==> content(table[i]) == \old(content(table[i])); */
void take(int h, struct node *n)
{
    struct node *previous = 0;
    struct node *e = table[h];
    while (e != 0 && e != n) {
        previous = e;
        e = e->next;
    }
    if (e == 0)
        return;
    if (previous != 0)
        previous->next = e->next;
    else
        table[h] = e->next;
    e->next = 0;
}
