// expect: true --property no-overflow --data-model ILP32
// An unsigned operand makes the sum unsigned, and a long long has room for it.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  long a = __VERIFIER_nondet_int();
  unsigned b = __VERIFIER_nondet_uint();
  long long wide = (long long)a + b;
  a = a + b;
  return wide == a;
}
