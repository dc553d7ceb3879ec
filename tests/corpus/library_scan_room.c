// expect: true --property valid-deref
#include <stdio.h>
int main(void) {
  char b[4];
  if (scanf("%3s", b) != 1) return 1;
  return 0;
}
