// expect: false(valid-deref) --property valid-memsafety
int *p;
int main(void) {
  { int x = 3; p = &x; }
  return *p;
}
