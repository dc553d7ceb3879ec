// The first of two cells is read after it was freed.
#include <stdlib.h>

struct cell { int value; struct cell *next; };

int main(void) {
  struct cell *first = malloc(sizeof *first), *second = malloc(sizeof *second);
  first->value = 1;
  first->next = second;
  free(first);
  second = first->next;
  free(second);
  return 0;
}
