// expect: false(automaton) --property lock.spc
// The lock example of the papers with the protocol left to an automaton.
extern int __VERIFIER_nondet_int(void);
void lock(void) {}
void unlock(void) {}
int main(void) {
  int got_lock = 0;
  int new_packets, old_packets;
  do {
    lock();
    got_lock++;
    old_packets = new_packets = __VERIFIER_nondet_int();
    if (__VERIFIER_nondet_int()) {
      unlock();
      got_lock--;
      new_packets = old_packets > 0 ? old_packets - 1 : old_packets + 1;
    }
  } while (new_packets != old_packets);
  if (got_lock) {
    unlock();
    got_lock--;
  }
  unlock();
  return 0;
}
