// expect: not-true -p unreach-call
// A variable that is defined elsewhere takes the address.
extern void reach_error(void);
extern void (*hook)(void);
extern void go(void);
static int state;
static void act(void) { state = 5; }
int main(void) {
  hook = act;
  go();
  if (state == 5) reach_error();
  return 0;
}
