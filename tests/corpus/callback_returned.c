// expect: not-true -p unreach-call
// What a function that is called back returns is known outside.
extern void reach_error(void);
typedef void (*action)(void);
extern void ask(action (*which)(void));
static int state;
static void act(void) { state = 9; }
static action which(void) { return act; }
int main(void) {
  ask(which);
  if (state == 9) reach_error();
  return 0;
}
