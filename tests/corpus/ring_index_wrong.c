// expect: false(valid-deref) --property valid-deref
// A remainder lies below its divisor, which is no index of the ring.
unsigned char ring[8];

unsigned nondet_uint(void);

int main(void) {
  unsigned head = nondet_uint(), count = nondet_uint();
  ring[(head + count) % 9] = 1;
  return 0;
}
