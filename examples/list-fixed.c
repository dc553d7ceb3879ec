// The mended version of list.c: the successor is read before the cell is freed.
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
    struct cell *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}
