// expect: false(valid-deref) --property valid-deref
// The remainder of a negative number is negative.
unsigned char ring[8];

int nondet_int(void);

int main(void) {
  int head = nondet_int();
  ring[head % 8] = 1;
  return 0;
}
