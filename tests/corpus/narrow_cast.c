// expect: false(unreach-call)
// A conversion to a narrower unsigned type wraps.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char c = x;
  if (x > 255 && c == 7) reach_error();
  return 0;
}
