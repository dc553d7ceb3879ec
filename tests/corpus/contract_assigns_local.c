// expect: true --entry outer --modular
// What a call by contract writes is a variable of the function itself, which its own contract need not list.
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
  inner(&i);
  return more + i;
}
