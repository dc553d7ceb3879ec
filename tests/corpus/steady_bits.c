// expect: true
// Some bits of a word are never written, and the rest is any.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned word = (__VERIFIER_nondet_uint() & ~0xf0u) | 0x20;
  unsigned n = __VERIFIER_nondet_uint();
  for (unsigned i = 0; i < n; i++) word = (word & 0xf0) | (__VERIFIER_nondet_uint() & ~0xf0u);
  if ((word & 0xf0) != 0x20) reach_error();
  return 0;
}
