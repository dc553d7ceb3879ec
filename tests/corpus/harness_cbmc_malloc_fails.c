// expect: false(valid-deref) --entry harness
// skip witness: a harness is no program that other tools start
// skip harness: no harness makes malloc fail
#include <stdlib.h>
void __CPROVER_assume(_Bool);
void __CPROVER_assert(_Bool, const char *);
struct list { void *alloc; size_t size, length, item; void *data; };
size_t nondet_size_t(void);
int level(int);
struct list made;

void *set(void *s, int c, size_t n) {
  unsigned char *bytes = (unsigned char *)s;
  for (__CPROVER_size_t i = 0; i < n; i++) bytes[i] = c & 255;
  return s;
}

void harness(void) {
  struct list list, other;
  set(&list, 0, sizeof list);
  __CPROVER_assert(__CPROVER_forall { int i; (i >= 0 && i < sizeof(list)) ==> ((const unsigned char *)&list)[i] == 0 }, "zero");
  list.data = malloc(list.size = nondet_size_t());
  made.length = 3;
  level(7);
  __CPROVER_assert(made.length == 3, "a function without a body changes nothing");
  other = list;
  __CPROVER_assert(other == list, "the members");
  size_t i = nondet_size_t();
  if (i < list.size) ((char *)other.data)[i] = 1;
}
