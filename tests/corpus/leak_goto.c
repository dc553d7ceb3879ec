// expect: false(valid-memtrack) --property valid-memtrack
// skip harness: the program never ends
#include <stdlib.h>

int main(void) {
  int *p = 0;
again:
  p = malloc(sizeof *p);
  *p = 1;
  goto again;
}
