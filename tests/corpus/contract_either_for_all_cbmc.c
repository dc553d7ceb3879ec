// expect: false(contract) --entry mixed
// skip harness: a compiler does not see the contract
void mixed(int *a)
__CPROVER_requires(__CPROVER_is_fresh(a, 2 * sizeof *a))
__CPROVER_assigns(a[0], a[1])
__CPROVER_ensures(__CPROVER_forall { int i; (0 <= i && i < 2) ==> a[i] == 0 } ||
                  __CPROVER_forall { int i; (0 <= i && i < 2) ==> a[i] == 1 })
{
  a[0] = 0;
  a[1] = 1;
}
