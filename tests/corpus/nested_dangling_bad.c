// expect: false(valid-deref) --property valid-memsafety
// skip harness: the compiler's sanitizer does not see the frame of the function around it
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
