// expect: not-true -p unreach-call
extern void reach_error(void);
extern void keep(int *p);
extern int *kept(void);
int main(void) {
  int x = 0;
  keep(&x);
  x = 0;
  *kept() = 1;
  if (x != 0) reach_error();
  return 0;
}
