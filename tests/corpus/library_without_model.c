// expect: not-false --property unreach-call
#define _XOPEN_SOURCE
#include <math.h>
#include <time.h>
extern void reach_error(void);
int main(void) {
  struct tm t = {0};
  char *r = strptime("2024-01-15", "%Y-%m-%d", &t);
  if (r && t.tm_mon != 0) reach_error();
  if (sin(0) != 0 || pow(2, 3) != 8) reach_error();
  return 0;
}
