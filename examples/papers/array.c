// "Lazy abstraction with interpolants", section 4: a proof needs a fact about all cells.
extern int nondet(void);
extern void reach_error(void);

int x[1000];

int main(void) {
  int n = nondet();
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) x[i] = 7;
  for (int i = 0; i < n; i++)
    if (x[i] != 7) reach_error();
  return 0;
}
