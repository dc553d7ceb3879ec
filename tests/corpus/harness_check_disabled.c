// expect: unknown --entry harness
// skip witness: there is none
void __CPROVER_assert(_Bool, const char *);
int nondet_int(void);
void harness(void) {
  int a[4] = {0, 0, 0, 0}, i = nondet_int(), sum = 0;
#pragma CPROVER check push
#pragma CPROVER check disable "pointer"
  if (0 <= i && i < 5) sum = a[i];
#pragma CPROVER check pop
  if (0 <= i && i < 4) sum += a[i];
  __CPROVER_assert(sum == 0 || i == 4, "the access that nobody checks may give anything");
}
