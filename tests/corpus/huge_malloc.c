// expect: not-true
// The interpreter cannot make so much memory; that is no limit of the verifier's that was reached.
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
  char *p = malloc(1ul << 40);
  p[5] = 1;
  if (p[5] == 1)
    reach_error();
  return 0;
}
