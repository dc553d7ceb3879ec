// expect: false(contract) --entry f
// skip harness: a compiler does not see the contract
// A valid pointer may lead into static memory.
int g[4];
/*@ requires \valid(p); ensures g[0] == 1; */
void f(int *p) { g[0] = 1; *p = 2; }
