// expect: true --property unreach-call --data-model ILP32
// Eight bytes are aligned to four inside of a structure, and `_Alignof` says so; a long and a pointer have four bytes.
#include <stddef.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct record {
  char tag;
  long long number;
  char mark;
  double weight;
  struct record *next;
  long last;
};

int main(void) {
  struct record r, *q;
  long *p = &r.last;
  r.last = __VERIFIER_nondet_int();
  q = (struct record *)((char *)p - offsetof(struct record, last));
  if (offsetof(struct record, number) != 4 || offsetof(struct record, weight) != 16) reach_error();
  if (sizeof(struct record) != 32 || _Alignof(struct record) != 4) reach_error();
  if (q != &r || q->last != r.last || (struct record *)(unsigned)q != &r) reach_error();
  return 0;
}
