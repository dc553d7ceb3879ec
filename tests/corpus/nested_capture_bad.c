// expect: false(unreach-call) --property unreach-call
// The inner variable of the same name is another one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 1;
  void inner(int y) {
    x = y;
    {
      int x = 7;
      x++;
    }
  }
  inner(__VERIFIER_nondet_int());
  if (x == 7) reach_error();
  return 0;
}
