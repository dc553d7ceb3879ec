// expect: false(valid-memtrack) --property valid-memsafety
#include <stdlib.h>
int main(void) {
  int *p = malloc(sizeof *p);
  p = 0;
  return 0;
}
