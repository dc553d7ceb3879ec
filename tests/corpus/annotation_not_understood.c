// expect: unknown
// What divides may be zero there, and a guard stands before no statement of its own.
int main(void) {
  int x = 6, y = 2;
  //@ assert x / y == 3;
  return 0;
}
