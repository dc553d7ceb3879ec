// expect: true
// Where in its object a pointer points, in the words of CBMC and ESBMC.
int nondet_int(void);
struct pair { char first; int second; };
int main(void) {
  int a[10], b[5], n = nondet_int();
  struct pair pair;
  int *null = 0;
  __CPROVER_assume(n >= 0 && n < 5);
  int *p = n == 2 ? a + n : b + n;
  __CPROVER_assert(__CPROVER_POINTER_OFFSET(p) == n * (int)sizeof(int), "so far from the start");
  __CPROVER_assert(__CPROVER_same_object(p, a) == (n == 2), "of either of them");
  __CPROVER_assert(!__CPROVER_same_object(p, &pair) && !__CPROVER_same_object(p, null), "of no other");
  __ESBMC_assert(__ESBMC_POINTER_OFFSET(&pair.second) == sizeof(int), "behind a hole");
  __ESBMC_assert(__ESBMC_POINTER_OFFSET(null) == 0 && __ESBMC_same_object(null, null), "without an object");
  __ESBMC_assert(__ESBMC_POINTER_OBJECT(a + 3) == __ESBMC_POINTER_OBJECT(a), "the same number");
  return 0;
}
