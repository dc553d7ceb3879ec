// expect: false(unreach-call)
// Facts about entry values in two activations of one function: those of the
// caller must not be taken for those of the callee.
// skip impact: recursion is not inlined
extern void reach_error(void);
void f(int n) {
  if (n < 3) return;
  n--;
  f(n);
  reach_error();
}
int main(void) {
  f(4);
  return 0;
}
