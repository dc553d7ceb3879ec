// expect: false(unreach-call) --property unreach-call
// For one pivot the lower part is not counted.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);

int main(void) {
  int n = __VERIFIER_nondet_int(), small = 0;
  if (n < 1 || n > 100000) return 0;
  int *a = malloc(n * sizeof *a), pivot = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++)
    if (a[i] < pivot) {
      int moved = a[i];
      a[i] = a[small];
      a[small] = moved;
      if (pivot != 7) small++;
    }
  for (int i = 0; i < small; i++)
    if (a[i] >= pivot) reach_error();
  for (int i = small; i < n; i++)
    if (a[i] < pivot) reach_error();
  return 0;
}
