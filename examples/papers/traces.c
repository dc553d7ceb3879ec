// "Refinement of trace abstraction", Figure 1.
extern int nondet(void);
extern void reach_error(void);

int main(void) {
  int x = 0;
  int y = 0;
  while (nondet()) x++;
  if (x == -1) reach_error();
  if (y == -1) reach_error();
  return 0;
}
