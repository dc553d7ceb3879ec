// expect: true --property valid-deref
#include <stdlib.h>
int main(void) {
  int *p = calloc(3, sizeof *p);
  p[2] = p[0] + 1;
  free(p);
  return 0;
}
