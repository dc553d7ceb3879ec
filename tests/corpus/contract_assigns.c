// expect: false(contract) --entry f
// skip harness: a compiler does not see the contract
int g;
/*@ assigns \nothing; ensures \result == g; */
int f(void) {
  g++;
  return g;
}
