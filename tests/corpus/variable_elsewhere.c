// expect: true -p unreach-call
// It keeps its value while nobody outside runs; a constant keeps it always.
extern void reach_error(void);
extern int x;
extern const int c;
extern void other(void);
int main(void) {
  int a = x, b = c;
  if (x != a) reach_error();
  other();
  if (c != b) reach_error();
  return 0;
}
