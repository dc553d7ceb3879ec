// expect: true --property valid-deref --malloc-may-fail
#include <stdlib.h>
int main(void) {
  char *p = malloc(2);
  if (!p) return 1;
  char *q = realloc(p, 3);
  if (!q) {
    p[1] = 0;
    free(p);
    return 1;
  }
  q[2] = 0;
  free(q);
  return 0;
}
