// expect: not-true -p valid-free
// A function of the library may be what is given.
#include <stdlib.h>
extern void later(void *p, void (*release)(void *));
int main(void) {
  void *p = malloc(4);
  later(p, free);
  free(p);
  return 0;
}
