// expect: true
// The lock of the paper on lazy abstraction with interpolants, Figure 1.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int locked = 0, new = 0, old;
  do {
    if (locked) reach_error();
    locked = 1;
    old = new;
    if (__VERIFIER_nondet_int()) { locked = 0; new++; }
  } while (new != old);
  return 0;
}
