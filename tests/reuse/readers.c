// Readers and a writer: nobody reads while somebody writes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int readers = 0, writer = 0, waiting = 0, reads = 0, writes = 0;
  while (__VERIFIER_nondet_int()) {
    int who = __VERIFIER_nondet_int();
    if (who == 0) {
      if (writer == 0 && waiting == 0) readers++;
    } else if (who == 1) {
      if (readers > 0) { readers--; if (reads < 500) reads++; }
    } else if (who == 2) {
      waiting = 1;
      if (readers == 0 && writer == 0) { writer = 1; waiting = 0; }
    } else if (who == 3) {
      if (writer == 1) { check(readers == 0); writer = 0; if (writes < 500) writes++; }
    }
    check(writer == 0 || readers == 0);
    check(readers >= 0);
    if (readers > 100) break;
  }
  check(writer == 0 || writer == 1);
  check(waiting == 0 || waiting == 1);
  check(reads + writes <= 1000);
  return 0;
}
//@ constant
//- if (readers > 100) break;
//+ if (readers > 150) break;
//@ statement
//- waiting = 1;
//+ waiting = 1;
//+ reads = 0;
//@ rename readers=shared writer=exclusive waiting=queue reads=r writes=w who=event
//@ extract
//- int main(void) {
//+ static int both_zero(int a, int b) { return a == 0 && b == 0; }
//+ int main(void) {
//- if (readers == 0 && writer == 0) { writer = 1; waiting = 0; }
//+ if (both_zero(readers, writer)) { writer = 1; waiting = 0; }
//@ branch
//- check(readers >= 0);
//+ check(readers >= 0);
//+ if (who == 4 && writer == 1) { writer = 0; readers = 1; }
