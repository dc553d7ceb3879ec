// expect: not-true -p unreach-call
// A function without a body may change what is defined elsewhere.
// skip harness: the harness defines no variables
extern void reach_error(void);
extern int x;
extern void other(void);
int main(void) {
  int a = x;
  other();
  if (x != a) reach_error();
  return 0;
}
