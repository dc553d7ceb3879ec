// expect: false(assert) --property assert
#include <arpa/inet.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned short port = __VERIFIER_nondet_int() == 3 ? 80 : 257;
  assert(htons(port) == port);
  return 0;
}
