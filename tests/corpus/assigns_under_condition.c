// expect: true --modular --property assert --property valid-deref
// What CBMC's `assigns` lists behind a condition is left alone where that does not hold.
#include <stddef.h>

void next(int *at, int *copy)
  __CPROVER_requires(__CPROVER_is_fresh(at, sizeof *at) && *at < 100)
  __CPROVER_requires(copy == NULL || __CPROVER_is_fresh(copy, sizeof *copy))
  __CPROVER_assigns(*at; copy != NULL: *copy)
  __CPROVER_ensures(*at == __CPROVER_old(*at) + 1)
  __CPROVER_ensures(copy != NULL ==> *copy == *at)
{
  ++*at;
  if (copy)
    *copy = *at;
}

int main(void) {
  int at = 4, copy = 0, other = 7;
  next(&at, NULL);
  __CPROVER_assert(at == 5 && copy == 0, "nothing is copied");
  next(&at, &copy);
  __CPROVER_assert(at == 6 && copy == 6 && other == 7, "it is");
  return 0;
}
