// expect: false(unreach-call) --property unreach-call
// The two indices leave out the cell in the middle.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 100000) return 0;
  int *a = malloc(n * sizeof *a);
  for (int low = 0, high = n - 1; low < high; low++, high--) {
    a[low] = 4;
    a[high] = 4;
  }
  int x = __VERIFIER_nondet_int();
  if (x >= 0 && x < n && a[x] != 4) reach_error();
  return 0;
}
