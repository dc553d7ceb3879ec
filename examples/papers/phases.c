// Two phases, for the section on restriction languages of "Lazy abstraction with interpolants": `x <= 50 and y = 50, or x = y` is in
// the first language, and no refutation of a single path has to say it.
extern void reach_error(void);

int main(void) {
  int x = 0, y = 50;
  while (x < 100) {
    if (x >= 50) y++;
    x++;
  }
  if (y != 100) reach_error();
  return 0;
}
