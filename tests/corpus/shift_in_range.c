// expect: true --property valid-shift
// The width is that of the promoted left operand, whatever the type of the amount. That bits
// are lost is no matter of this property.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  unsigned char narrow = 255;
  long wide = 1;
  int left = narrow << (n & 31) >> (n % 32);
  wide <<= n & 63;
  wide >>= 40;
  for (signed char i = 0; i < 32; i++)
    left |= 1 << i;
  return left + (int)wide;
}
