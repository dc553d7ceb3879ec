// expect: false(unreach-call) --property unreach-call
// skip harness: no harness makes files
#include <stdio.h>
extern void reach_error(void);
int main(void) {
  char line[8];
  FILE *f = fopen("f", "r");
  if (!f) return 1;
  if (fgets(line, sizeof line, f) && line[0] == '#') reach_error();
  fclose(f);
  return 0;
}
