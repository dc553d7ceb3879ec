// Positions of an invoice: number, sum and discount stay in step.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int n = __VERIFIER_nondet_int(), i, items = 0, sum = 0, discount = 0, paid = 0;
  if (n < 1 || n > 500) return 0;
  for (i = 0; i < n; i++) {
    if (__VERIFIER_nondet_int()) {
      items++;
      sum = sum + 3;
    } else {
      items++;
      sum = sum + 3;
      discount++;
    }
  }
  check(items == n);
  check(sum == 3 * n);
  check(discount >= 0 && discount <= n);
  sum = sum - discount;
  while (paid < sum) paid++;
  check(paid == sum);
  check(paid >= 2 * n);
  return 0;
}
//@ constant
//- if (n < 1 || n > 500) return 0;
//+ if (n < 1 || n > 800) return 0;
//@ statement
//- check(items == n);
//+ check(items == n);
//+ i = 0;
//@ rename n=count i=k items=lines sum=amount discount=rebate paid=received
//@ extract
//- int main(void) {
//+ static int priced(int so_far) { return so_far + 3; }
//+ int main(void) {
//- items++;
//- sum = sum + 3;
//- discount++;
//+ items++;
//+ sum = priced(sum);
//+ discount++;
//@ branch
//- while (paid < sum) paid++;
//+ while (paid < sum) paid++;
//+ if (discount == 0) check(paid == 3 * n);
