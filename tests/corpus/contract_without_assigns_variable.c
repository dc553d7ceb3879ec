// expect: not-true --modular --property assert
#include <assert.h>
int counted, rounds;
/*@ ensures counted == 1; */
void count(void) {
  counted = 1;
  rounds++;
}
int main(void) {
  count();
  assert(rounds == 0);
  return 0;
}
