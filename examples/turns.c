// Locks and unlocks in turn; logs now and then.
extern int nondet(void);

void lock(void) {}
void unlock(void) {}
void log_it(void) {}

int main(void) {
  while (nondet()) {
    lock();
    if (nondet()) log_it();
    unlock();
  }
  return 0;
}
