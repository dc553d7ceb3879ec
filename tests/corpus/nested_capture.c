// expect: true --property unreach-call
// Functions within functions read and write what is around them, through several levels.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int a, b; };
static int outer(int start, struct pair p) {
  int total = 0;
  int step = 2;
  void add(int n) {
    void one(void) { total += step; p.b++; }
    if (n > 0) one();
    if (n > 1) one();
  }
  int sum(void) { return total + start + p.a; }
  add(2);
  step = 5;
  add(1);
  if (p.b != 3) reach_error();
  return sum();
}
int main(void) {
  int start = __VERIFIER_nondet_int();
  if (start < 0 || start > 100) return 0;
  struct pair p = {100, 0};
  if (outer(start, p) != start + 109 || p.b != 0) reach_error();
  return 0;
}
