// expect: false(valid-deref) --property valid-memsafety
// The computed goto ends the life of what its scope holds.
int main(void) {
  void *next = &&after;
  int *p;
  {
    int local = 1;
    p = &local;
    goto *next;
  }
after:
  return *p;
}
