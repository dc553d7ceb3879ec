// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int state = 0, ticks = 0;
again:
  switch (state) {
  case 0: state = 1; break;
  case 1: state = __VERIFIER_nondet_int() ? 2 : 1; break;
  case 2: goto out;
  default: reach_error();
  }
  goto again;
out:
  return ticks;
}
