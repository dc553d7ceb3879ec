// expect: false(valid-deref) --property valid-memsafety
// skip harness: the compiler's sanitizer does not see computed jumps leave a scope
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
