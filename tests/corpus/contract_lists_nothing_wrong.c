// expect: not-true --modular --property assert
// As `contract_lists_nothing.c`, but the function remembers what it returned.
int largest;

int larger(int a, int b)
  __CPROVER_ensures(__CPROVER_return_value >= a && __CPROVER_return_value >= b)
{
  return largest = a > b ? a : b;
}

int main(void) {
  largest = 5;
  int y = larger(9, largest);
  __CPROVER_assert(y >= 5 && largest == 5, "nothing else changed");
  return 0;
}
