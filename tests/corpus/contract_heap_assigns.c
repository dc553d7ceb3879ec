// expect: error --entry touch
struct node { struct node *next; int value; };
/*@ requires acyclic(next);
    assigns list->value;
    ensures \result == 0; */
int touch(struct node *list) {
  if (list && list->next) list->next->value = 4;
  return 0;
}
