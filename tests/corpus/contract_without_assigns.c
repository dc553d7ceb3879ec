// expect: not-true --modular --property assert
// Who says nothing of what he changes may change every variable, by its name and by pointers.
#include <assert.h>
int counted, hidden, *to_hidden = &hidden;
/*@ ensures counted == 1; */
void count(void) {
  counted = 1;
  *to_hidden = 2;
}
int main(void) {
  count();
  assert(hidden == 0);
  return 0;
}
