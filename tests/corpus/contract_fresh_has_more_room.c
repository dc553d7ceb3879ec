// expect: false(assert) --property assert --entry first
// skip harness: gcc does not know contracts
// Who calls by contract may hand over more memory than the contract asks for: the size of the object is not what was asked for.
#include <assert.h>
#include <stddef.h>

int first(int *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof(int)))
__CPROVER_assigns()
{
  assert(__CPROVER_OBJECT_SIZE(p) == sizeof(int));
  return *p;
}
