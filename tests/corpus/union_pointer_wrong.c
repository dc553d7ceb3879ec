// expect: false(assert) --property assert
// A union of a pointer and an integer: the step is one too many.
#include <assert.h>

unsigned char nondet_uchar(void);

int main(void) {
  union {
    char *pointer;
    unsigned long address;
  } u;
  char cells[4] = "abc";
  char value = nondet_uchar();
  u.pointer = cells + 1;
  u.address += 2;
  *u.pointer = value;
  assert(cells[2] == value);
  return 0;
}
