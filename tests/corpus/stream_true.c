// expect: true -p valid-deref
#include <stdio.h>
int main(void) {
  char line[10];
  fprintf(stderr, "name?\n");
  if (fgets(line, sizeof line, stdin) == 0) return 1;
  fputs(line, stdout);
  if (stdin == stdout || stderr == NULL) *(int *)0 = 1;
  return 0;
}
