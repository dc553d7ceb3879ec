// expect: false(unreach-call) --property unreach-call
// The last loop comes to the last cell of each tile.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[3000];

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    a[3 * i] = i;
    a[3 * i + 1] = 1;
    a[3 * i + 2] = -i;
  }
  for (int i = 0; i < n; i++)
    if (a[3 * i] + a[3 * i + 2] != 0) reach_error();
  for (int i = 2; i < 3 * n; i += 3)
    if (a[i] != 1) reach_error();
  return 0;
}
