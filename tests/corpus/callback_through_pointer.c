// expect: not-true -p unreach-call
// The function without a body is called through a pointer.
extern void reach_error(void);
extern void each(void (*)(void));
extern void all(void (*)(void));
static int state;
static void act(void) { state = 5; }
int main(void) {
  void (*way)(void (*)(void)) = state ? each : all;
  way(act);
  if (state == 5) reach_error();
  return 0;
}
