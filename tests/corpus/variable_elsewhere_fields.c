// expect: true -p unreach-call
// Any value of its type, not more.
extern void reach_error(void);
struct flags { unsigned low : 3; signed mid : 2; unsigned char rest; };
extern struct flags f;
extern _Bool b;
int main(void) {
  if (f.low > 7 || f.mid > 1 || f.mid < -2 || f.rest > 255 || b > 1) reach_error();
  return 0;
}
