// expect: true --property unreach-call
// The error is excluded by the bytes of one union only: the other one, and the arithmetic beside them, stay as they are.
extern void __VERIFIER_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern double __VERIFIER_nondet_double(void);

union word {
  unsigned whole;
  unsigned char part[4];
};

union number {
  double value;
  unsigned half[2];
};

int main(void) {
  union word w;
  union number d;
  unsigned long negative = 0;
  unsigned n = __VERIFIER_nondet_uint();
  d.value = __VERIFIER_nondet_double();
  w.whole = __VERIFIER_nondet_uint();
  for (unsigned i = 0; i < n; i++) {
    negative += d.half[1] >> 31;
    if (negative > i + 1ul)
      __VERIFIER_error();
  }
  w.part[2] = 7;
  if (((w.whole >> 16) & 0xff) != 7)
    __VERIFIER_error();
  return 0;
}
