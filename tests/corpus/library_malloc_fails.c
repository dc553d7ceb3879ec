// expect: false(valid-deref) --property valid-deref --malloc-may-fail
// skip harness: no harness makes malloc fail
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *p = strdup("ab");
  p[0] = 'c';
  free(p);
  return 0;
}
