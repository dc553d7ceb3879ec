// expect: true --property valid-memtrack
// While the second argument is computed, only the call itself knows of the first.
#include <stdlib.h>
static int wait(void) {
  int n = 40;
  while (n != 0)
    n -= 2;
  return n;
}
static void give_back(char *p, int n) { free(p + n); }

int main(void) {
  give_back(malloc(3), wait());
  return 0;
}
