// expect: false(assert) --property assert
// skip harness: a compiler does not see the assertion
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 1000) return 0;
  //@ assert x >= 1000 && x - 1 != 1234;
  return 0;
}
