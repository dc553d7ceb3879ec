// expect: true --property valid-memsafety
// skip witness: who checks one asks for assertions too, and this one is outside of the array
// A claim in a comment is no access.
int main(void) {
  int a[2] = {1, 2}, i = 2;
  //@ assert a[i] == 0;
  return a[1] - 2;
}
