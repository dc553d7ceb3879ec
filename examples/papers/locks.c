// "Abstractions from proofs", Figure 1: each condition is of use between its lock and its unlock only.
extern int nondet(void);
extern void reach_error(void);

int held = 0;
void lock(void) { if (held) reach_error(); held = 1; }
void unlock(void) { if (!held) reach_error(); held = 0; }

int main(void) {
  int p1 = nondet(), p2 = nondet(), p3 = nondet(), p4 = nondet();
  if (p1) lock();
  if (p1) unlock();
  if (p2) lock();
  if (p2) unlock();
  if (p3) lock();
  if (p3) unlock();
  if (p4) lock();
  if (p4) unlock();
  return 0;
}
