// expect: false(valid-shift) --property valid-shift
// Undefined for unsigned values too; n = 32 and more.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  unsigned mask = 1;
  if (n < 0 || n > 40)
    return 0;
  mask <<= n;
  return mask == 0;
}
