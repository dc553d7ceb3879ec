// expect: true
// Assertions in comments: numbers have no bounds there, and what does not run cannot fail.
extern int __VERIFIER_nondet_int(void);
struct pair { int first, second; } both = {3, 4};
int a[3] = {1, 2}, g;
void never(void) {
  //@ assert \false;
}
int main(void) {
  int x = __VERIFIER_nondet_int(), *p = &g, *null = 0;
  unsigned u = -1;
  //@ assert x + 1 > x;
  //@ assert u != -1;
  /*@ assert a[1] == 2 && a[2] == 0; assert both.first < both.second; */
  //@ assert p == &g && *p == 0;
  //@ assert null == 0 || *null == 7;
  switch (x) {
  case 5: //@ assert x == 5;
    x++;
    break;
  default:
    if (x > 5) goto large;
  }
  //@ assert x > 5 ==> x == 6;
  return 0;
  //@ assert \false;
large: //@ assert x % 7 <= x;
  return 1;
}
