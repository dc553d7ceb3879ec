// expect: true --property valid-deref
// A remainder lies below its divisor, whatever wrapped around before: the index of a ring buffer.
unsigned char ring[8];

unsigned nondet_uint(void);

int main(void) {
  unsigned head = nondet_uint(), count = nondet_uint();
  ring[(head + count) % 8] = 1;
  return 0;
}
