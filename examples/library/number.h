#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The number that `length` characters spell; false when they spell none, or one that is too large.
bool number_read(const char *text, size_t length, unsigned *value);
