// expect: false(valid-deref) --property valid-deref
// skip harness: no harness types at the keyboard
#include <stdio.h>
int main(void) {
  char b[3];
  if (scanf("%3s", b) != 1) return 1;
  return 0;
}
