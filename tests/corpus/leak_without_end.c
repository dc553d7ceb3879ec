// expect: false(valid-memtrack) --property valid-memtrack
// skip harness: the program never ends
// The program never ends, but the memory is lost all the same.
#include <stdlib.h>

static void use(char *p) { p[0] = 1; }

int main(void) {
  for (;;) {
    char *p = malloc(8);
    use(p);
  }
}
