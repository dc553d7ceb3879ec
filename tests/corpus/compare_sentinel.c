// expect: true
// The end of a ring is an object on the stack; no address of the heap is its own.
#include <stdlib.h>
extern void reach_error(void);
struct ring { struct ring *next; int value; };

int main(void) {
    struct ring head = {&head, 0};
    for (int i = 0; i < 2; i++) {
        struct ring *made = malloc(sizeof(struct ring));
        made->value = i;
        made->next = head.next;
        head.next = made;
    }
    int count = 0;
    for (struct ring *at = head.next; at != &head; count++) {
        struct ring *next = at->next;
        free(at);
        at = next;
    }
    if (count != 2)
        reach_error();
    return 0;
}
