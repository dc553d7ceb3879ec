// expect: true --property unreach-call
// The length of an array that is a parameter is evaluated, though the parameter is a pointer.
extern void reach_error(void);
static void f(int n, int a[n++], int m, int b[m += 2]) {
  if (n != 2 || m != 3) reach_error();
}
int main(void) {
  int cells[4];
  f(1, cells, 1, cells);
  return 0;
}
