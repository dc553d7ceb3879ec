// expect: not-true -p unreach-call
extern void reach_error(void);
struct pair { int n; void (*act)(void); };
extern void ask(struct pair (*which)(void));
static int state;
static void act(void) { state = 9; }
static struct pair which(void) {
  struct pair p = {1, act};
  return p;
}
int main(void) {
  ask(which);
  if (state == 9) reach_error();
  return 0;
}
