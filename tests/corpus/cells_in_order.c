// expect: true --property unreach-call
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// Any two cells are in order, the last of which is not above what was written last.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[1000];

int main(void) {
  int n = __VERIFIER_nondet_int(), last = 0;
  if (n < 1 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    int more = __VERIFIER_nondet_int();
    if (more < 0 || more > 10) more = 1;
    last += more;
    if (last > 100000) last = 100000;
    a[i] = last;
  }
  for (int x = 0; x < n; x++)
    for (int y = x + 1; y < n; y++)
      if (a[x] > a[y]) reach_error();
  return 0;
}
