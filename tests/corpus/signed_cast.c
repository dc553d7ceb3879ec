// expect: true
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  unsigned char u = __VERIFIER_nondet_uchar();
  signed char s = u;
  if (s < -128 || s > 127) reach_error();
  if (u < 128 && s != u) reach_error();
  return 0;
}
