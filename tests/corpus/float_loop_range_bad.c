// expect: false(unreach-call) --property unreach-call
// The bounds of the inputs leave out what is not a number.
float nondet_float(void);
void reach_error(void);
int main(void) {
  float sum = 0;
  for (int i = 0; i < 2; i++) {
    float x = nondet_float();
    if (x < -1.0f || x > 1.0f) return 0;
    sum = sum * 0.5f + x;
    if (!(sum >= -2.0f && sum <= 2.0f)) reach_error();
  }
  return 0;
}
