// expect: true --property unreach-call --blocks single
// Two runs to the error share their locations: what one of them taught holds of the states of the other, too, once these are made again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int total = 0, visits = 0, once = __VERIFIER_nondet_int() != 0;
  void *where = once ? &&leave : &&again;
  {
    int cell;
    int *way;
  again:
    way = &cell;
    *way = 4;
    total += *way;
    if (++visits < 2) goto *where;
    where = &&leave;
    goto *where;
  }
leave:
  if (total != (once ? 4 : 8)) reach_error();
  return 0;
}
