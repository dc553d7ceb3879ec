// expect: false(contract) --entry skip --modular
// skip witness: the contract is not in the program that the witness is checked with
// The twin of contract_rounds_of_cbmc.c with an invariant that the last round breaks.
int skip(const char *text, unsigned i, unsigned n)
__CPROVER_requires(n < 1000 && __CPROVER_is_fresh(text, 1000))
__CPROVER_assigns()
__CPROVER_ensures(1);
int skip(const char *text, unsigned i, unsigned n) {
  int found = 0;
  while (i < n)
  __CPROVER_assigns(i)
  __CPROVER_loop_invariant(i < n)
  __CPROVER_decreases(n - i)
  {
    if (text[i] == ' ') {
      found = 1;
      break;
    }
    i++;
  }
  return found;
}
