// expect: false(unreach-call) --property unreach-call
// skip harness: a run through memory that nothing wrote has none
// What the run reads from an object whose numbers became variables is found again by where the object was made; a
// pointer there that nothing wrote leads to memory of its own.
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

struct cipher { int valid; unsigned long algorithms; };
struct temporary { int next; struct cipher *cipher; int request; };
struct session { int state; struct temporary *tmp; void (*callback)(void); int mode; };

static void step(struct session *s) {
  if (s->state == 1)
    s->state = s->tmp->cipher->algorithms & 256UL ? 3 : 2;
  else if (s->state == 2) {
    s->tmp->next = 4;
    s->state = s->tmp->request == 1 ? 5 : 1;
  } else if (s->state == 5) {
    if (!(s->tmp->cipher->algorithms & 256UL) && s->mode == 7)
      s->state = s->tmp->next;
    else
      s->state = 1;
  }
}

int main(void) {
  struct session *s = malloc(sizeof *s);
  s->tmp = malloc(sizeof(struct temporary));
  if (s->callback)
    s->callback = 0;
  s->state = 1;
  while (__VERIFIER_nondet_int()) {
    step(s);
    if (s->state == 4)
      __VERIFIER_error();
  }
  return 0;
}
