// expect: false(unreach-call)
// What does not fit into a bit-field is cut off.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct packet {
  unsigned char kind : 2;
  unsigned char flag : 1;
  unsigned length : 12;
  int delta : 5;
  _Bool last : 1;
} header = {1, 1, 3000, -7, 1};

int main(void) {
  if (header.kind != 1 || header.length != 3000 || header.delta != -7 || !header.last)
    reach_error();
  struct packet p;
  int d = __VERIFIER_nondet_int();
  p.kind = 3;
  p.flag = 1;
  p.length = 2748;
  p.delta = d;
  p.last = d;
  if (p.delta != d)
    reach_error();
  p.kind = 5;
  p.flag = 0;
  if (p.kind != 1 || p.flag || p.length != 2748 || p.last != (d != 0))
    reach_error();
  return 0;
}
