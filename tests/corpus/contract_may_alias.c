// expect: false(contract) --entry f
// skip impact: a choice of memory that is not followed
// skip predicate: a choice of memory that is not followed
// skip trace: a choice of memory that is not followed
// skip bounded: a choice of memory that is not followed
// skip harness: a compiler does not see the contract
// A valid pointer may lead into static memory.
int g[4];
/*@ requires \valid(p); ensures g[0] == 1; */
void f(int *p) { g[0] = 1; *p = 2; }
