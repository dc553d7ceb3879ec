// expect: true
#include <arpa/inet.h>
#include <assert.h>
int main(void) {
  assert(htonl(0x01020304) == 0x04030201 && ntohs(0x0102) == 0x0201);
  assert(ntohl(htonl(77)) == 77 && htons(ntohs(500)) == 500);
  return 0;
}
