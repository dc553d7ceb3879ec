// expect: true --entry fact --modular
// skip bounded: products
// skip witness: the contract is not in the program that the witness is checked with
// The recursive call goes by the contract.
int fact(int n)
__CPROVER_requires(0 <= n && n <= 5)
__CPROVER_ensures(__CPROVER_return_value >= 1)
__CPROVER_assigns();
int fact(int n) { return n == 0 ? 1 : n * fact(n - 1); }
