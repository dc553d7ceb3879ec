// expect: true --property unreach-call --data-model ILP32
// A long holds no unsigned int: their sum is unsigned long, and 32 bits wide. A long long holds it.
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  long a = __VERIFIER_nondet_long();
  unsigned b = __VERIFIER_nondet_uint();
  unsigned long long mask = ~3UL;
  if (a >= 0 || a < -5 || b > 4) return 0;
  if (a < b) reach_error();
  if ((long long)a >= b) reach_error();
  if (sizeof(2147483648) != 8 || sizeof(0x80000000) != 4 || mask != 4294967292) reach_error();
  return 0;
}
