// "Abstractions from proofs", Figure 8: what is known inside of inc speaks of its parameter and of the value with
// which it was called, never of the caller.
extern int nondet(void);
extern void reach_error(void);

int inc(int x) {
  int r;
  x = x + 1;
  r = x;
  return r;
}

int main(void) {
  int a = nondet(), b;
  if (a > 1000000) return 0;
  b = inc(a);
  if (b != a + 1) reach_error();
  return 0;
}
