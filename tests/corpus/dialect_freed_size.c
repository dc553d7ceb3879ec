// expect: unknown
// The size of an object that is gone: CBMC may know one, here it is no violation.
#include <stdlib.h>
int main(void) {
  char *p = malloc(3);
  if (p == 0) return 0;
  free(p);
  __CPROVER_assert(__CPROVER_OBJECT_SIZE(p) == 3, "gone");
  return 0;
}
