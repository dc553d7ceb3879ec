// expect: true
// A bit-field that nobody set has some value of its width.
extern void reach_error(void);
struct flags {
  unsigned a : 3;
  signed b : 2;
};

int main(void) {
  struct flags f;
  if (f.a > 7 || f.b > 1 || f.b < -2)
    reach_error();
  return 0;
}
