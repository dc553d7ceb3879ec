// expect: true --modular --property assert
// A contract of CBMC's that lists no place promises to change none.
int largest;

int larger(int a, int b)
  __CPROVER_ensures(__CPROVER_return_value >= a && __CPROVER_return_value >= b)
{
  return a > b ? a : b;
}

int main(void) {
  int x = 3;
  largest = 5;
  int *p = &x;
  int y = larger(*p, largest);
  __CPROVER_assert(y >= 5 && x == 3 && largest == 5, "nothing else changed");
  return 0;
}
