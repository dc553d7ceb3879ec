// expect: true -p valid-deref
// The same function, which looks at what it gets.
extern void each(int n, void (*visit)(int));
static int cells[4];
static void fill(int i) {
  if (i >= 0 && i < 4) cells[i] = 1;
}
int main(void) {
  each(4, fill);
  return 0;
}
