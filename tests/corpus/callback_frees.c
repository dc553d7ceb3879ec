// expect: not-true -p valid-deref
#include <stdlib.h>
extern void go(void (*)(void));
static int *block;
static void drop(void) {
  free(block);
  block = 0;
}
int main(void) {
  block = malloc(sizeof *block);
  if (!block) return 0;
  go(drop);
  *block = 1;
  free(block);
  return 0;
}
