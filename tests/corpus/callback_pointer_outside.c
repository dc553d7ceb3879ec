// expect: not-true -p unreach-call
// A function that is called back gets a pointer that was kept.
extern void reach_error(void);
extern void keep(int *p, void (*set)(int *));
extern void go(void);
static void set(int *p) {
  if (p) *p = 5;
}
int main(void) {
  int x = 0;
  keep(&x, set);
  x = 0;
  go();
  if (x == 5) reach_error();
  return 0;
}
