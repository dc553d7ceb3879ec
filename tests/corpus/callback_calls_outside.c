// expect: true -p unreach-call
// What is called back leaves the program again, and is called again from there.
// skip impact: recursion
// skip bounded: recursion without a bound
extern void reach_error(void);
extern void on_change(void (*)(int));
extern void print(int);
static int level;
static void change(int v) {
  if (v >= 0 && v < 10) level = v;
  print(level);
}
int main(void) {
  on_change(change);
  if (level > 9) reach_error();
  return 0;
}
