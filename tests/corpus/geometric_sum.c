// expect: true
// skip bounded: its products are those of the machine, and the guessed facts have those of numbers
// The sum of a geometric sequence: the invariant times the ratio is what a step leaves.
extern int input(void);
extern void reach_error(void);

int main(void) {
  int ratio = input(), count = input();
  int sum = 1, power = ratio, i = 1;
  while (i < count) {
    i = i + 1;
    sum = sum * ratio + 1;
    power = power * ratio;
  }
  if (sum * (ratio - 1) != power - 1) {
    reach_error();
  }
  return 0;
}
