// A list is built and freed. The cell that is freed is used once more, to find
// its successor: `bolide verify -p valid-deref` shows the run that does it.
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

struct cell {
  struct cell *next;
};

int main(void) {
  struct cell *list = 0;
  while (__VERIFIER_nondet_int()) {
    struct cell *cell = malloc(sizeof(struct cell));
    cell->next = list;
    list = cell;
  }
  while (list) {
    free(list);
    list = list->next;
  }
  return 0;
}
