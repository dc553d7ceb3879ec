// expect: false(valid-deref) --property valid-deref
#include <stdio.h>
int main(void) {
  char b[3];
  if (scanf("%3s", b) != 1) return 1;
  return 0;
}
