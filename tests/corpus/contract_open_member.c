// expect: not-true --modular --property assert
// What a contract leaves open of a record may be a pointer.
#include <assert.h>
struct node { int value; struct node *next; };
/*@ requires \valid(head); assigns *head; ensures head->value == 3; */
void link_to(struct node *head, struct node *next) {
  head->value = 3;
  head->next = next;
}
int main(void) {
  struct node last = {1, 0}, first = {2, 0};
  link_to(&first, &last);
  first.next->value = 7;
  assert(last.value == 1);
  return 0;
}
