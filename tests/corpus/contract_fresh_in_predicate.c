// expect: true --entry first --modular
// skip witness: the contract is not in the program that the witness is checked with
// What memory is there is said by functions of C, with `&`, `||` and a choice.
typedef _Bool bool;
bool is_buffer(const char *buffer, unsigned long size) {
  return (0 < size) & __CPROVER_is_fresh(buffer, size);
}
bool is_called_well(const char *buffer, unsigned long size, unsigned long *out) {
  return is_buffer(buffer, size)
    & (out == (void *)0 || __CPROVER_is_fresh(out, sizeof(*out)))
    & (out != (void *)0 ? 1 : 1);
}
bool is_within(unsigned long size, unsigned long *out) {
  return out == (void *)0 ? 1 : *out <= size;
}
char first(const char *buffer, unsigned long size, unsigned long *out)
__CPROVER_requires(is_called_well(buffer, size, out))
__CPROVER_assigns(out != (void *)0: *out)
__CPROVER_ensures(is_within(size, out));
char first(const char *buffer, unsigned long size, unsigned long *out) {
  if (out) {
    *out = size - 1;
  }
  return buffer[size - 1];
}
