// expect: not-false -p unreach-call
// It is never null where a program starts, which nobody here knows.
extern void reach_error(void);
extern char **environ;
int main(void) {
  if (environ == 0) reach_error();
  return 0;
}
