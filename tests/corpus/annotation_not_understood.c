// expect: unknown
// Bits are not what the comment's numbers have here, and a guard stands before no statement of its own.
int main(void) {
  int x = 6;
  //@ assert (x & 1) == 0;
  return 0;
}
