// expect: not-true --property assert
// A contract of a statement is not checked, and must not be left out.
int main(void) {
  int x = 0;
  /*@ ensures x == 1; */
  { x = 2; }
  return x;
}
