// entry: create
// bug: n->next = list; => n->next = n;
// bug: n->next = list; => (void)n;
// bug: list = n; => list = n->next->next;
#include <stdlib.h>
struct node { struct node *next; int data; };

int more(void);

/*@ requires acyclic(next) && sharing_free(next);
    ensures reach(next, \result, \null); */
struct node *create(void)
{
    struct node *list = 0;
    while (more()) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->data = 0;
        list = n;
    }
    return list;
}
