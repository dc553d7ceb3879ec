// expect: true --property assert
// A union of a pointer and an integer: what is written as one is read as the other.
#include <assert.h>

unsigned char nondet_uchar(void);

int main(void) {
  union {
    char *pointer;
    unsigned long address;
  } u;
  char cells[4];
  char value = nondet_uchar();
  u.pointer = cells + 1;
  u.address += 1;
  *u.pointer = value;
  assert(cells[2] == value);
  return 0;
}
