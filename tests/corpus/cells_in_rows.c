// expect: true --property assert
// skip trace: Hoare triples are asked of single predicates, which have no instances.
// Every second cell, and rows of a fixed width as one array.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int b[1000], rows[50][40];
  for (int i = 0; i < 500; i++) {
    b[2 * i] = 4;
    b[2 * i + 1] = __VERIFIER_nondet_int();
  }
  for (int i = 0; i < 500; i++) assert(b[2 * i] == 4);
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 40; j++) rows[i][j] = 0;
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (x >= 0 && x < 50 && y >= 0 && y < 40) assert(rows[x][y] == 0);
  return 0;
}
