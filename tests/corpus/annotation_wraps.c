// expect: false(assert) --property assert
// skip harness: a compiler does not see the assertion
// In C the two sides are equal; in the comment the left one is 4294967296.
int main(void) {
  unsigned u = -1;
  //@ assert u + 1 == 0;
  return 0;
}
