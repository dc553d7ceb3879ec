// The lock must be free when it is taken. Taken from the introduction of the
// paper on lazy abstraction with interpolants: safe, because `old == new`
// implies that the lock was released.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int locked = 0;

void lock(void) {
  if (locked)
    reach_error();
  locked = 1;
}

void unlock(void) { locked = 0; }

int main(void) {
  int new = 0, old;
  do {
    lock();
    old = new;
    if (__VERIFIER_nondet_int()) {
      unlock();
      new++;
    }
  } while (new != old);
  return 0;
}
