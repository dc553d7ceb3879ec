// "Abstractions from proofs", Figure 7 and Example 1: the interpolant after a = a - 1 is a <= c - 2.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  int a, b = nondet(), c;
  if (b > 0 && b < 1000000) {
    c = 2 * b;
    a = b;
    a = a - 1;
    if (a < b)
      if (a == c)
        reach_error();
  }
  return 0;
}
