// expect: not-true -p unreach-call
// Only the function that is called back gives out the address of the other.
extern void reach_error(void);
extern void later(void (*)(void));
static int state;
static void second(void) { state = 9; }
static void first(void) { later(second); }
int main(void) {
  later(first);
  if (state == 9) reach_error();
  return 0;
}
