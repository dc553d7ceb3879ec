// expect: not-true -p unreach-call
// The address lies in memory that the function can reach, two pointers away.
extern void reach_error(void);
struct handler { int kind; void (*run)(int); };
struct device { struct handler *first; };
extern void attach(struct device *d);
static int state;
static void run(int v) { state = v; }
int main(void) {
  struct handler h = {1, run};
  struct device d = {&h};
  attach(&d);
  if (state == 7) reach_error();
  return 0;
}
