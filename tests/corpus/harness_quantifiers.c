// expect: false(assert) --entry harness --property assert
// skip witness: a harness is no program that other tools start
// skip harness: compilers know no quantifiers
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
unsigned nondet_unsigned(void);
void harness(void) {
  int a[4] = {0, 0, 0, 0};
  unsigned k = nondet_unsigned();
  __CPROVER_assume(__CPROVER_exists { unsigned j; j < 4 && k == j });
  a[k] = 5;
  __CPROVER_assert(__CPROVER_forall { unsigned i; (i >= 0 && i < 4) ==> a[i] == 0 || i == k }, "but one");
  __CPROVER_assert(!(__CPROVER_forall { int i; (i >= 0 && i < 4) ==> a[i] == 0 }), "not all");
  __CPROVER_assert(__CPROVER_forall { int i; (i >= 0 && i < 3) ==> a[i] == 0 }, "k may be less than 3");
}
