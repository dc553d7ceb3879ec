// expect: unknown
// The assertion speaks of the ghost, not of the variable that C knows by this name.
int i = 1;
int main(void) {
  //@ ghost int i = 0;
  //@ assert i == 1;
  return 0;
}
