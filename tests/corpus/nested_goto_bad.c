// expect: false(unreach-call) --property unreach-call
// What stands after the call is jumped over.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  __label__ end;
  int done = 0;
  void stop(int x) {
    if (x == 42) goto end;
  }
  stop(__VERIFIER_nondet_int());
  done = 1;
end:
  if (!done) reach_error();
  return 0;
}
