// expect: false(assert) --property assert
// skip harness: the compiler knows no havoc
// After a havoc an object holds anything; others keep what they held.
int nondet_int(void);
int main(void) {
  char a = 'a', b = 'b';
  char *p = nondet_int() ? &a : &b;
  __CPROVER_havoc_object(p);
  __CPROVER_assert(a == 'a' || b == 'b', "one of them is as it was");
  __CPROVER_assert(b == 'b', "perhaps this one was lost");
  return 0;
}
