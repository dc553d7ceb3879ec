// expect: false(unreach-call)
// A lock that opens after twelve inputs, each the right one: no run comes far by chance, and two variables remember
// how far it came. Each state in which an input is read is tried with one input of each kind.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int row = 1, column = 7;
static int step(int input) {
  if (row == 1 && column == 7 && input == 40) { column = 8; return 1; }
  if (row == 1 && column == 8 && input == 12) { column = 9; return 1; }
  if (row == 1 && column == 9 && input == 77) { row = 2; column = 7; return 1; }
  if (row == 2 && column == 7 && input == 12) { column = 8; return 1; }
  if (row == 2 && column == 8 && input == 31) { column = 9; return 1; }
  if (row == 2 && column == 9 && input == 40) { row = 3; column = 7; return 1; }
  if (row == 3 && column == 7 && input == 77) { column = 8; return 1; }
  if (row == 3 && column == 8 && input == 40) { column = 9; return 1; }
  if (row == 3 && column == 9 && input == 31) { row = 4; column = 7; return 1; }
  if (row == 4 && column == 7 && input == 12) { column = 8; return 1; }
  if (row == 4 && column == 8 && input == 40) { column = 9; return 1; }
  if (row == 4 && column == 9 && input == 77) { row = 5; return 1; }
  row = 1;
  column = 7;
  return 0;
}
int main(void) {
  while (1) {
    int input = __VERIFIER_nondet_int();
    if (input != 12 && input != 31 && input != 40 && input != 77) return 0;
    step(input);
    if (row == 5) reach_error();
  }
}
