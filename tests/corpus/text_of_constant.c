// expect: true --property unreach-call
// The initialiser of a constant is looked at when its length is asked for, not before it is known.
extern void reach_error(void);
extern unsigned long strlen(const char *);

static const char rows[2][3] = {"1", "12"};
static const union {
  struct {
    char head[4], tail[4];
  };
  char whole[8];
} u = {{"1234", "567"}};

int main(void) {
  if (strlen(rows[0]) != 1 || strlen(rows[1]) != 2) reach_error();
  if (strlen(u.whole) != 7) reach_error();
  return 0;
}
