// expect: false(valid-deref) --property valid-deref
// The vector grows one item too late.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  size_t used = 0, room = 0;
  int *items = 0;
  unsigned count = __VERIFIER_nondet_uint();
  if (count > 100000) return 0;
  for (unsigned i = 0; i < count; i++) {
    if (used > room || room == 0) {
      room = room ? 2 * room : 8;
      items = realloc(items, room * sizeof *items);
    }
    items[used++] = (int)i;
  }
  for (size_t i = 0; i < used; i++)
    if (items[i] < 0) break;
  free(items);
  return 0;
}
