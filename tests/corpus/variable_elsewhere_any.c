// expect: false(unreach-call) -p unreach-call
// skip harness: the harness defines no variables
extern void reach_error(void);
extern short x;
int main(void) {
  if (x == 77) reach_error();
  return 0;
}
