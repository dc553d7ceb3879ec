// expect: true -p unreach-call
// Functions without a body have addresses that differ from others.
extern void reach_error(void);
extern void one(void);
extern void two(void);
static void three(void) {}
int main(void) {
  void (*f)(void) = one;
  if (f == two || f == three || f != one || !f) reach_error();
  return 0;
}
