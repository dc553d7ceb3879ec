// expect: true
// skip bounded: its products are those of the machine, and the guessed facts have those of numbers
// Bezout's identity, a polynomial invariant.
extern int input(void);
extern void reach_error(void);

int main(void) {
  int x = input(), y = input();
  if (x < 1 || y < 1) {
    return 0;
  }
  int a = x, b = y, p = 1, q = 0, r = 0, s = 1;
  while (a != b) {
    if (a > b) {
      a = a - b;
      p = p - q;
      r = r - s;
    } else {
      b = b - a;
      q = q - p;
      s = s - r;
    }
  }
  if (p * x + r * y != a || p * s - r * q != 1) {
    reach_error();
  }
  return 0;
}
