// expect: true --entry harness --remove-body __CPROVER_file_local_harness_removed_body_c_inner --remove-body outer --stub stubs/removed_body.c
// skip witness: a harness is no program that other tools start
void __CPROVER_assert(_Bool, const char *);
static int inner(int x) { return x + 1; }
int outer(int x) { return x - 1; }
int both(int x) { return inner(x) + outer(x); }
void harness(void) { __CPROVER_assert(both(1) == 30, "by the bodies of the stubs"); }
