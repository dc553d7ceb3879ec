// expect: not-true --entry f
// The second call lists another place than the first one, which does not list it.
int x, y;

/*@ requires \valid(p);
    assigns *p; */
int f(int *p, int n) {
  *p = 0;
  if (n > 0)
    f(&y, 0);
  return 0;
}
