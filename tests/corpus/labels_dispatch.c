// expect: true --property unreach-call
// Labels as values: a machine of four instructions, threaded through a table of labels.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
static int run(unsigned char first) {
  static const void *const table[] = {&&inc, &&twice, &&halt, &&inc};
  int value = 1;
  unsigned at = first & 1;
  goto *table[at];
inc:
  value++;
  goto *table[++at];
twice:
  value *= 2;
  goto *table[++at];
halt:
  return value;
}
int main(void) {
  unsigned char first = __VERIFIER_nondet_uchar();
  int value = run(first);
  if (first & 1 ? value != 2 : value != 4) reach_error();
  return 0;
}
