// The alternating bit: sender and receiver are never further apart than one message.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int bit = 0, expected = 0, sent = 0, received = 0, acknowledged = 1, lost = 0;
  while (sent < 200) {
    if (acknowledged == 1) {
      sent++;
      acknowledged = 0;
    }
    if (__VERIFIER_nondet_int()) {
      if (bit == expected) {
        received++;
        expected = 1 - expected;
      }
      if (__VERIFIER_nondet_int()) {
        check(bit != expected);
        acknowledged = 1;
        bit = 1 - bit;
      }
    } else if (lost < 100) lost++;
    check(received <= sent);
    check(sent <= received + 1);
  }
  check(bit == 0 || bit == 1);
  check(sent == 200);
  check(lost <= 100);
  return 0;
}
//@ constant
//- } else if (lost < 100) lost++;
//+ } else if (lost < 60) lost++;
//@ statement
//- check(received <= sent);
//+ if (lost == 50) lost = 0;
//+ check(received <= sent);
//@ rename bit=flag expected=wanted sent=out received=in acknowledged=clear lost=drops
//@ extract
//- int main(void) {
//+ static int flipped(int b) { return 1 - b; }
//+ int main(void) {
//- expected = 1 - expected;
//+ expected = flipped(expected);
//@ branch
//- check(received <= sent);
//+ if (lost > 20 && acknowledged == 1) lost = lost - 10;
//+ check(received <= sent);
