// expect: not-true -p valid-deref
// A function without a body may call what it is given.
extern void each(int n, void (*visit)(int));
static int cells[4];
static void fill(int i) { cells[i] = 1; }
int main(void) {
  each(4, fill);
  return 0;
}
