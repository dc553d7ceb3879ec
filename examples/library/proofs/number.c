#include "number.h"
#include <assert.h>
#include <stdlib.h>

size_t nondet_size_t(void);

int main(void) {
  size_t length = nondet_size_t();
  __CPROVER_assume(length <= 1 << 20);
  char *text = malloc(length);
  __CPROVER_assume(text != NULL);
  unsigned value;
  if (number_read(text, length, &value) && length == 1)
    assert(value <= 9);
}
