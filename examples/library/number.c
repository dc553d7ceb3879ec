// A parser of decimal numbers.
#include "number.h"

bool number_read(const char *text, size_t length, unsigned *value) {
  if (length == 0)
    return false;
  unsigned sum = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    unsigned digit = (unsigned)(text[i] - '0');
    if (sum > (UINT_MAX - digit) / 10)
      return false;
    sum = 10 * sum + digit;
  }
  *value = sum;
  return true;
}
