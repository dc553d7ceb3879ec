// A handshake in phases, with what must have happened before each of them.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int state = 0, hello = 0, keys = 0, verified = 0, sent = 0, tries = 0;
  while (state != 5) {
    int message = __VERIFIER_nondet_int();
    if (tries > 50) break;
    tries++;
    if (state == 0) {
      if (message == 1) { hello = 1; state = 1; }
    } else if (state == 1) {
      check(hello == 1);
      if (message == 2) { keys = hello + 1; state = 2; }
      else if (message == 9) { hello = 0; state = 0; }
    } else if (state == 2) {
      check(keys == 2);
      if (message == 3) { verified = keys + hello; state = 3; }
    } else if (state == 3) {
      check(verified == 3);
      sent = sent + 1;
      if (sent >= 3) state = 4;
    } else if (state == 4) {
      check(hello == 1 && keys == 2 && verified == 3);
      if (message == 5) state = 5;
      else { verified = 0; sent = 0; state = 2; }
    } else {
      check(0);
    }
  }
  if (state == 5) check(sent >= 3 && hello == 1);
  return 0;
}
//@ constant
//- if (tries > 50) break;
//+ if (tries > 75) break;
//@ statement
//- sent = sent + 1;
//+ sent = sent + 1;
//+ if (message == 7) sent = 0;
//@ rename state=phase hello=greeted keys=secret verified=known sent=packets message=event
//@ extract
//- int main(void) {
//+ static int combine(int a, int b) { return a + b; }
//+ int main(void) {
//- if (message == 3) { verified = keys + hello; state = 3; }
//+ if (message == 3) { verified = combine(keys, hello); state = 3; }
//@ branch
//- if (message == 3) { verified = keys + hello; state = 3; }
//+ if (message == 3) { verified = keys + hello; state = 3; }
//+ else if (message == 8) { keys = 0; state = 1; }
