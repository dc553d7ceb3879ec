// expect: not-true --entry length
// What is understood of a contract is not all of it.
struct node { struct node *next; int value; };
/*@ requires acyclic(next);
    ensures \result == 0;
    frees \nothing;
    ensures \result == 1; */
int length(struct node *list) {
  (void)list;
  return 0;
}
