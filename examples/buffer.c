// A ring buffer of eight cells. The index is taken modulo the size, but one
// place too late: `bolide verify -p valid-deref` shows the access behind the end.
extern int __VERIFIER_nondet_int(void);

#define SIZE 8

int cells[SIZE];
unsigned head;

void put(int value) {
  cells[head] = value;
  head = head + 1;
  if (head > SIZE)
    head = 0;
}

int main(void) {
  for (int i = 0; i < 20; i++)
    put(__VERIFIER_nondet_int());
  return 0;
}
