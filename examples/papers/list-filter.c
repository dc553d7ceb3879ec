// "Symbolic shape analysis", Figure 4.1: the nodes with data are taken out of a list. What the loop needs to know is
// that prev is null or leads to e.
#include <assert.h>

struct node { struct node *next; int data; };

/*@ requires acyclic(next) && sharing_free(next); */
void filter(struct node *first)
{
    struct node *e = first, *prev = 0, *tmp;
    while (e != 0) {
        if (e->data) {
            if (prev == 0) {
                prev = e;
                e = e->next;
                first = e;
                prev->next = 0;
                prev = 0;
            } else {
                e = e->next;
                tmp = prev->next;
                assert(tmp != 0);
                tmp->next = 0;
                prev->next = e;
            }
        } else {
            prev = e;
            e = e->next;
        }
    }
}
