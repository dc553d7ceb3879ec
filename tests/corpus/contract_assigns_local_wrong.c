// expect: not-true --entry outer --modular
// The twin of contract_assigns_local.c that hands out a global.
static int kept;

/*@ requires \valid(at) && *at < 1000;
    assigns *at;
    ensures *at == \old(*at) + 1; */
static void inner(int *at) {
  ++*at;
}

/*@ assigns \nothing;
    ensures \result == n + 1; */
int outer(int n) {
  int i = n < 100 ? n : 100;
  int more = n - i;
  inner(n < 0 ? &kept : &i);
  return more + i;
}
