// expect: false(contract) --entry dangling
// skip harness: a compiler does not see the contract
// What is ensured holds when the variables of the function are gone.
/*@ ensures \valid(\result); */
int *dangling(void) {
  int x, *p = &x;
  return p;
}
