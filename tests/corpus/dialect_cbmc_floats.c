// expect: true
// skip impact: formulas do not know what a float is
// skip predicate: formulas do not know what a float is
// skip trace: formulas do not know what a float is
// CBMC's tests of floats, each for its own format.
int main(void) {
  __CPROVER_assert(__CPROVER_isnormalf(1.5f) && !__CPROVER_isnormalf(1e-40f), "floats");
  __CPROVER_assert(__CPROVER_isnand(0.0 / 0.0) && __CPROVER_signd(-0.0), "doubles");
  __CPROVER_assert(__CPROVER_isinff(__CPROVER_inff()) && !__CPROVER_isfinited(__CPROVER_inf()), "");
  __CPROVER_assert(__CPROVER_fabs(-2.5) == 2.5, "");
  return 0;
}
