// "Software model checking via iterative abstraction refinement of constraint logic queries", Figure 1, with
// its error mended.
#include <assert.h>
#include <stdlib.h>

extern int readInt(void);
extern void print(int);

struct Rat { int n, d; };

static struct Rat *Rat(int x, int y) {
  struct Rat *this = malloc(sizeof *this);
  this->n = x;
  this->d = y;
  return this;
}

static int trunc(struct Rat *this) {
  assert(this->d != 0);
  return this->n / this->d;
}

int main(void) {
  int x = readInt();
  int y = readInt();
  if (y == 0) return 0;
  struct Rat *r = Rat(x, y);
  for (int i = 0; i < 100000; i++) print(trunc(r));
  return 0;
}
