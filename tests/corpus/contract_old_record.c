// expect: true --entry add
// skip witness: the contract is not in the program that the witness is checked with
// The state of a record with an array before the call.
struct poly { int n; short at[4]; };
void add(struct poly *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof(*p)))
__CPROVER_requires(p->at[1] < 100)
__CPROVER_assigns(*p)
__CPROVER_ensures(p->at[1] == __CPROVER_old(*p).at[1] + 1 && p->at[2] == __CPROVER_old(*p).at[2]);
void add(struct poly *p) { p->at[1]++; }
