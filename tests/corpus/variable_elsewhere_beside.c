// expect: false(valid-deref) -p valid-deref
// skip harness: the harness defines no variables
// A violation has nothing to do with the pointer.
extern int *p;
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[3];
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i < 4) a[i] = 1;
  return *p;
}
