// expect: not-true -p unreach-call
extern void reach_error(void);
extern void keep(int *p);
extern void other(int);
static int x;
int main(void) {
  keep(&x);
  x = 0;
  other(1);
  if (x != 0) reach_error();
  return 0;
}
