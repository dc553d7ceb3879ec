// expect: not-true --property assert
// As a tool for C writes comparisons of pointers: both sides are made integers first. The address of an object
// that is gone may be that of the next, and one past the end of an array may be the start of another.
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int *p = malloc(sizeof *p);
  if ((unsigned long)p == (unsigned long)((void *)0))
    return 0;
  free(p);
  int *q = malloc(sizeof *q);
  if ((unsigned long)q == (unsigned long)((void *)0))
    return 0;
  assert((unsigned long)p != (unsigned long)q);
  free(q);
  return 0;
}
