// expect: true -p unreach-call
// However often it is called and with what, the invariant stays.
extern void reach_error(void);
extern void on_change(void (*)(int));
extern void wait_a_while(void);
static int level;
static void change(int v) {
  if (v >= 0 && v < 10) level = v;
}
int main(void) {
  on_change(change);
  for (int i = 0; i < 100; i++) wait_a_while();
  if (level > 9) reach_error();
  return 0;
}
