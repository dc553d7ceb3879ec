// expect: not-true -p unreach-call
// A pointer is kept and used by another function without a body.
extern void reach_error(void);
extern void keep(int *p);
extern void other(void);
int main(void) {
  int x = 0;
  keep(&x);
  x = 0;
  other();
  if (x != 0) reach_error();
  return 0;
}
