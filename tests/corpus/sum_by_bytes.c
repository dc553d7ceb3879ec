// expect: true --property unreach-call
// skip impact: refutes path after path
// skip predicate: refutes path after path
// skip trace: refutes trace after trace
// A sum with carries, byte by byte, as long as there is something to add: few rounds, but many ways through them.
extern void __VERIFIER_error(void);
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned char digit(unsigned x, unsigned i) { return x >> 8 * i; }

static unsigned sum(unsigned a, unsigned b) {
  unsigned char r[4] = {0, 0, 0, 0};
  unsigned carry = 0, length = 4;
  while (length > 0 && digit(a, length - 1) == 0 && digit(b, length - 1) == 0)
    length--;
  for (unsigned i = 0; i < 4 && (i < length || carry != 0); i++) {
    unsigned part = digit(a, i) + digit(b, i) + carry;
    carry = part > 255;
    r[i] = part;
  }
  return r[0] | r[1] << 8 | r[2] << 16 | (unsigned)r[3] << 24;
}

int main(void) {
  unsigned a = 987654321, b = __VERIFIER_nondet_uint();
  if (sum(a, b) != a + b)
    __VERIFIER_error();
  return 0;
}
