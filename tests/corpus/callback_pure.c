// expect: true -p unreach-call --external pure
extern void reach_error(void);
extern void go(void (*)(void));
static int state;
static void act(void) { state = 5; }
int main(void) {
  go(act);
  if (state == 5) reach_error();
  return 0;
}
