// expect: true --property valid-deref
#include <stdio.h>
int main(void) {
  char b[4];
  FILE *f = fopen("f", "r");
  if (!f) return 1;
  size_t n = fread(b, 1, 4, f);
  if (n > 0) b[n - 1] = 0;
  return 0;
}
