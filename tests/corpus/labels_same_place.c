// expect: unknown --property unreach-call
// Nothing lies between the labels but an empty block: whether they are one address is the compiler's affair.
extern void reach_error(void);
int main(void) {
  void *volatile first = &&one;
  if (first == &&two) reach_error();
one:
  {}
two:
  return 0;
}
