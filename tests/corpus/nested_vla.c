// expect: true --property unreach-call
// skip impact: products of lengths that are not constant
// skip predicate: likewise
// skip trace: likewise
// skip bounded: products of lengths that are not constant
// Lengths of arrays around a function are known within it.
extern void reach_error(void);
static unsigned long fill(int n) {
  int table[n][n + 1];
  void set(int i, int j) { table[i][j] = i * 10 + j; }
  unsigned long row(void) { return sizeof table[0]; }
  set(1, 2);
  if (table[1][2] != 12) reach_error();
  return row();
}
int main(void) {
  if (fill(2) != 3 * sizeof(int)) reach_error();
  if (fill(3) != 4 * sizeof(int)) reach_error();
  return 0;
}
