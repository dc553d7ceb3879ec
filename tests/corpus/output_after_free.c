// expect: false(valid-deref) --property valid-memsafety
// Output functions read the strings they print.
extern int printf(const char *, ...);
extern void *malloc(unsigned long);
extern void free(void *);

int main(void) {
  char *text = malloc(4);
  text[0] = 'a';
  text[1] = 0;
  printf("%d %s\n", 1, text);
  free(text);
  printf("%d %s\n", 2, text);
  return 0;
}
