// entry: insert
// bug: table[h] = n; => table[0] = n;
// bug: n->next = table[h]; => n->next = 0;
// bug: n->next = table[h]; => n->next = table[15 - h];
struct node { struct node *next; int key; };

struct node *table[16];

/*@ predicate head(l) = \forall x; reach(next, x, l) ==> x == l || l == \null; */
/*@ logic content(l) = { x | reach(next, l, x) && x != \null }; */
/*@ invariant acyclic(next) && sharing_free(next);
    invariant \forall integer i; head(table[i]);
    invariant \forall integer i, j; table[i] == table[j] && table[i] != \null ==> i == j; */

int count[16];

/*@ requires 0 <= h && h < 16 && count[h] < 1000000;
    requires n != \null && n->next == \null && head(n);
    requires \forall integer i; table[i] != n;
    ensures content(table[h]) == \old(content(table[h])) \union {n};
    ensures \forall integer i; i != h ==> content(table[i]) == \old(content(table[i]));
    ensures count[h] == \old(count[h]) + 1;
    assigns table, count, next; */
void insert(int h, struct node *n)
{
    n->next = table[h];
    table[h] = n;
    count[h]++;
}
