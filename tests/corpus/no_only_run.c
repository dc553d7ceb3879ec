// expect: false(unreach-call) --property unreach-call
// skip harness: no harness sets a local variable
// One run ends well, but an unset variable decides whether that is the only one.
extern void reach_error(void);
struct flags {
  unsigned low : 3, high : 5;
};
int main(void) {
  struct flags f;
  f.low = 1;
  if (f.high == 9) reach_error();
  return 0;
}
