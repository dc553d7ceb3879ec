// expect: true --property unreach-call
// A computed goto leaves and enters scopes as any other, and finds what lives there.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0, rounds = 0, outside = __VERIFIER_nondet_int() != 0;
  void *next = outside ? &&after : &&inside;
  {
    int local;
    int *p;
  inside:
    p = &local;
    *p = 3;
    sum += *p;
    if (++rounds < 2) goto *next;
    next = &&after;
    goto *next;
  }
after:
  if (sum != (outside ? 3 : 6)) reach_error();
  return 0;
}
