// expect: not-false --property unreach-call
// Nothing says which number it is.
extern int isspace(int);
extern void reach_error(void);
int main(void) {
  if (isspace(' ') == 12345) reach_error();
  return 0;
}
