// expect: false(assert) --property assert
int Frama_C_interval(int, int);
int main(void) {
  int x = Frama_C_interval(-2, 9);
  __VERIFIER_assert(x != 9);
  return 0;
}
