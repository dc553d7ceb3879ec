// expect: false(assert) --property assert
int nondet_int(void);
unsigned char nondet_uchar(void);
int main(void) {
  int x = nondet_int();
  unsigned char c = nondet_uchar();
  __CPROVER_assume(x > 3);
  __CPROVER_assert(x + c != 300 || x != 299 - c + 1, "it can be");
  return 0;
}
