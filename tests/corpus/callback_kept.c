// expect: not-true -p unreach-call
// Registered by one function without a body, called by another.
extern void reach_error(void);
extern void on_tick(void (*)(void));
extern void wait_a_while(void);
static int ticks;
static void tick(void) { ticks++; }
int main(void) {
  on_tick(tick);
  ticks = 0;
  wait_a_while();
  if (ticks > 2) reach_error();
  return 0;
}
