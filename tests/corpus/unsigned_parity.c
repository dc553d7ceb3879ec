// expect: true
extern void reach_error(void);
int main(void) {
  unsigned x = 0;
  while (x < 1000) x += 2;
  if (x % 2) reach_error();
  return 0;
}
