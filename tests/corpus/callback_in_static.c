// expect: true -p unreach-call
// Nobody outside can find the table.
extern void reach_error(void);
extern void start(void);
static int state;
static void one(void) { state = 1; }
static void two(void) { state = 2; }
static void (*const table[2])(void) = {one, two};
int main(void) {
  start();
  if (state != 0) reach_error();
  table[1]();
  start();
  if (state != 2) reach_error();
  return 0;
}
