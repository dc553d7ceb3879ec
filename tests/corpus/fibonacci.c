// expect: true
// No linear summary says what the function returns; a table of its values does.
// skip impact: recursion is not inlined
extern void reach_error(void);
int fibonacci(int n) {
  if (n < 2) return n;
  return fibonacci(n - 1) + fibonacci(n - 2);
}
int main(void) {
  if (fibonacci(9) != 34) reach_error();
  return 0;
}
