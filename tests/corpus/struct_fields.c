// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int a, b; };
static void swap(struct pair *p) { int t = p->a; p->a = p->b; p->b = t; }
int main(void) {
  struct pair p = { __VERIFIER_nondet_int(), 7 };
  int old = p.a;
  swap(&p);
  if (p.a != 7 || p.b != old) reach_error();
  return 0;
}
