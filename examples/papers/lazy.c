// "Lazy abstraction with interpolants", Figure 1.
extern int nondet(void);
extern void reach_error(void);

int L = 0;
void lock(void) { if (L != 0) reach_error(); L = 1; }
void unlock(void) { L = 0; }

int main(void) {
  int old, new = nondet();
  do {
    lock();
    old = new;
    if (nondet()) {
      unlock();
      new++;
    }
  } while (new != old);
  return 0;
}
