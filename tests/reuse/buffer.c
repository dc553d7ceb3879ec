// A bounded buffer: its indices stay in range, its count is what went in and not yet out.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int size = 8, head = 0, tail = 0, count = 0, in = 0, out = 0;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      if (count < size) {
        tail++;
        if (tail == size) tail = 0;
        count++;
        in++;
      }
    } else {
      if (count > 0) {
        head++;
        if (head == size) head = 0;
        count--;
        out++;
      }
    }
    if (in > 1000) break;
    check(head >= 0 && head < size);
    check(tail >= 0 && tail < size);
  }
  check(count >= 0 && count <= size);
  check(in - out == count);
  return 0;
}
//@ constant
//- int size = 8, head = 0, tail = 0, count = 0, in = 0, out = 0;
//+ int size = 12, head = 0, tail = 0, count = 0, in = 0, out = 0;
//@ statement
//- if (in > 1000) break;
//+ if (in > 1000) break;
//+ if (count == 0) { head = 0; tail = 0; }
//@ rename head=first tail=next count=used size=capacity in=written out=read
//@ extract
//- int main(void) {
//+ static int advance(int index, int limit) { return index + 1 == limit ? 0 : index + 1; }
//+ int main(void) {
//- head++;
//- if (head == size) head = 0;
//+ head = advance(head, size);
//@ branch
//- if (in > 1000) break;
//+ if (in > 1000) break;
//+ if (count == size) { head = 0; tail = 0; count = 0; out = in; }
