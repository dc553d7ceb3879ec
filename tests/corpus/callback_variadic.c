// expect: not-true -p unreach-call
extern void reach_error(void);
extern void many(int n, ...);
static int state;
static void act(void) { state = 5; }
int main(void) {
  many(2, 1, act);
  if (state == 5) reach_error();
  return 0;
}
