// expect: false(contract) --property unreach-call
// Two neighbours may be equal.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[1000];

int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 1 || n > 1000) return 0;
  /*@ loop invariant 0 <= i <= n && (\forall int k; 0 <= k < i ==> 0 <= a[k] && a[k] <= 100 * k);
    @ loop invariant \forall int j, k; 0 <= j && j < k && k < i ==> a[j] < a[k]; */
  while (i < n) {
    int more = __VERIFIER_nondet_int();
    if (more < 0 || more > 100) more = 1;
    a[i] = i == 0 ? 0 : a[i - 1] + more;
    i++;
  }
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (0 <= x && x < y && y < n && a[x] > a[y]) reach_error();
  return 0;
}
