// expect: true --property unreach-call
// A jump out of a function within a function ends the calls in between.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void each(void (*f)(int)) {
  for (int i = 0; i < 3; i++) f(i);
}
static int find(int wanted) {
  __label__ found;
  int calls = 0;
  void look(int i) {
    calls++;
    if (i == wanted) goto found;
  }
  each(look);
  return -1;
found:
  return calls;
}
int main(void) {
  int wanted = __VERIFIER_nondet_int();
  int result = find(wanted);
  if (wanted >= 0 && wanted < 3 ? result != wanted + 1 : result != -1) reach_error();
  return 0;
}
