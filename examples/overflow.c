// The middle of two numbers, as it was written for decades: for large inputs
// the sum overflows. `bolide verify --property no-overflow` shows which.
extern int __VERIFIER_nondet_int(void);

int middle(int low, int high) { return (low + high) / 2; }

int main(void) {
  int low = __VERIFIER_nondet_int();
  int high = __VERIFIER_nondet_int();
  if (low < 0 || high < low)
    return 0;
  return middle(low, high);
}
