// A loop that moves tokens from one pile to another: none is lost.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 1000000)
    return 0;
  unsigned left = n, right = 0;
  while (left > 0) {
    left--;
    right++;
  }
  if (right != n)
    reach_error();
  return 0;
}
