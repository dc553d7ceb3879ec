// expect: false(unreach-call)
// One of the bits is written that should not be.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned word = (__VERIFIER_nondet_uint() & ~0xf0u) | 0x20;
  unsigned n = __VERIFIER_nondet_uint();
  for (unsigned i = 0; i < n; i++) word = (word & 0xd0) | (__VERIFIER_nondet_uint() & ~0xd0u);
  if ((word & 0xf0) != 0x20) reach_error();
  return 0;
}
