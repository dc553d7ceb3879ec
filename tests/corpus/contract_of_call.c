// expect: false(contract)
// skip harness: a compiler does not see the contract
// A whole program is not better than the contracts in it.
/*@ requires x > 0 && x < 100; ensures \result == x + 1; */
int inc(int x) { return x + 1; }
int main(void) { return inc(100) - 101; }
