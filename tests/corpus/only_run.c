// expect: true --property unreach-call
// What was never written may be copied and stored; nothing depends on it. So there is one run.
extern void reach_error(void);
struct pair {
  char tag;
  int value;
};

static int sum(struct pair p, int unset) {
  int kept = unset;
  (void)kept;
  return p.value * 3 ^ 5;
}

int main(int argc, char **argv) {
  struct pair p, q;
  int unset, i, total = 0;
  p.value = 7;
  q = p;
  for (i = 0; i < 2000; i++) total += sum(q, unset) % 7;
  if (total != 2000 * ((21 ^ 5) % 7)) reach_error();
  return 0;
}
