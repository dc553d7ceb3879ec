// expect: unknown --property unreach-call
// How far labels are apart is the compiler's affair, too.
extern void reach_error(void);
int main(void) {
  int distance = &&two - &&one;
one:
  if (distance > 40) reach_error();
two:
  return 0;
}
