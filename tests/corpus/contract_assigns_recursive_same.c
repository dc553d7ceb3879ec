// expect: true --entry down
// A function that calls itself writes the same place each time.
// skip impact: it refuses recursion
/*@ requires \valid(p) && n >= 0 && n <= 20;
    assigns *p; */
void down(int *p, int n) {
  *p = n;
  if (n > 0)
    down(p, n - 1);
}
