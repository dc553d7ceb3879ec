// expect: true --property unreach-call
// skip impact: recursion is left to the engines with summaries
// The jump leads to the activation that runs, not to an older one.
extern void reach_error(void);
static int down(int n) {
  __label__ out;
  int result = 0;
  void leave(int k) {
    if (k == 0) goto out;
    leave(k - 1);
    reach_error();
  }
  if (n > 0) result = down(n - 1);
  leave(n);
  reach_error();
out:
  return result + 1;
}
int main(void) {
  if (down(2) != 3) reach_error();
  return 0;
}
