// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  if ((x & 15) > 15 || (x & 8) == 4 || ((x | 1) & 1) == 0 || (x >> 28) > 15) reach_error();
  return 0;
}
