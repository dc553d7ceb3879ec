// expect: true
// What CBMC's names mean, in a program that declares none of them.
int nondet_int(void);
int main(void) {
  int x = nondet_int(), y = nondet_int();
  __CPROVER_assume(x > 3 && x < 100);
  __CPROVER_assert(x >= 4, "assumed");
  __CPROVER_assert(__CPROVER_saturating_plus(2147483647, 5) == 2147483647, "it does not wrap around");
  __CPROVER_assert(__CPROVER_saturating_minus(3u, 5u) == 0 && __CPROVER_saturating_minus(5, 3) == 2, "");
  if (!__CPROVER_overflow_plus(y, x)) __CPROVER_assert(y <= 2147483643, "there was room");
  int a[4] = {0};
  __CPROVER_precondition(__CPROVER_r_ok(a, sizeof a), "all of it");
  __CPROVER_assert(__CPROVER_w_ok(&a[3]), "the last");
  __CPROVER_assert(!__CPROVER_r_ok(&a[3], 5), "and not what follows");
  __CPROVER_assert(__CPROVER_r_ok(a, 0), "nothing of it");
  __CPROVER_assert(__CPROVER_OBJECT_SIZE(&a[1]) == sizeof a, "the object, not the rest of it");
  char *p = __CPROVER_allocate(2, 1);
  __CPROVER_assert(p[1] == 0, "zeroed");
  return 0;
}
