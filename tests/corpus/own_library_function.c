// expect: unknown --property unreach-call
// gcc computes `llabs` itself, whatever the program defines under that name.
extern void reach_error(void);
long long llabs(long long n) {
  reach_error();
  return n;
}
int main(void) { return llabs(-1) != 1; }
