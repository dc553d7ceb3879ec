// expect: not-true -p unreach-call
extern void reach_error(void);
extern void keep(unsigned long address);
static int state;
static void act(void) { state = 5; }
int main(void) {
  keep((unsigned long)act);
  if (state == 5) reach_error();
  return 0;
}
