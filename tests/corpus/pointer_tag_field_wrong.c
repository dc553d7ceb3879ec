// expect: false(assert) --property assert
// One of two objects, and a tag, in a field of a struct.
#include <assert.h>

struct word {
  unsigned long bits;
};

unsigned char nondet_uchar(void);

int main(void) {
  struct word w;
  int first = 1, second = 2;
  unsigned char choice = nondet_uchar();
  w.bits = (unsigned long)(choice > 7 ? &first : &second);
  if (choice & 1) w.bits |= 2;
  int *p = (int *)(w.bits & ~3UL);
  assert(*p == (choice > 6 ? 1 : 2));
  return 0;
}
