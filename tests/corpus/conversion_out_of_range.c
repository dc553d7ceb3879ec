// expect: not-false --property unreach-call
// A number that does not fit into the type it is converted to is undefined; no violation rests on it.
extern void reach_error(void);
static int cut(float f) { return (int)f; }
int main(void) {
  if (cut(2147483648.0f) != 2147483647) reach_error();
  return 0;
}
