// expect: true --property unreach-call
// The library does not call the program's functions, whatever their names are.
#include <stddef.h>
extern int isalpha(int);
extern char *strpbrk(const char *, const char *);
extern void reach_error(void);
int isupper(int c) { return 0; }
size_t strcspn(const char *s, const char *reject) { return 0; }
int index;
int main(void) {
  if (!isalpha('A')) reach_error();
  char *found = strpbrk("ab", "b");
  if (found == 0 || *found != 'b') reach_error();
  if (isupper('A') || index) reach_error();
  return 0;
}
