// expect: unknown
// The comment belongs to the statement under the condition: nobody looks at it there.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 3)
    //@ assert \false;
    x++;
  return 0;
}
