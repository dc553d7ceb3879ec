// expect: true --property valid-memsafety
// skip bounded: a loop without a bound
#include <verifier-builtins.h>
int main(void) {
  void **list = 0;
  while (__VERIFIER_nondet_int()) {
    void **item = malloc(sizeof *item);
    if (!item) abort();
    *item = list;
    list = item;
    __VERIFIER_plot("list", &list);
    free(item);
    list = 0;
  }
  __VERIFIER_assert(list == NULL);
  ___SL_BREAK_IF(list != NULL);
  return 0;
}
