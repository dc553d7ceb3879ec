// expect: false(valid-deref) --property valid-memsafety
// The function around it has returned.
static int (*kept)(void);
static void keep(void) {
  int x = 1;
  int get(void) { return x; }
  kept = get;
}
int main(void) {
  keep();
  return kept();
}
