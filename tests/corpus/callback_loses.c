// expect: not-true -p valid-memtrack
#include <stdlib.h>
extern void go(void (*)(void));
static void *block;
static void lose(void) { block = 0; }
int main(void) {
  block = malloc(4);
  go(lose);
  free(block);
  return 0;
}
