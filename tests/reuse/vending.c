// A vending machine: credit is what was put in and neither spent nor returned.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int credit = 0, coins = 0, spent = 0, returned = 0, stock = 20, price = 3;
  while (__VERIFIER_nondet_int()) {
    int button = __VERIFIER_nondet_int();
    if (coins > 5000) break;
    if (button == 1) { credit++; coins++; }
    else if (button == 2) { credit = credit + 2; coins = coins + 2; }
    else if (button == 3) {
      if (credit >= price && stock > 0) {
        credit = credit - price;
        spent = spent + price;
        stock--;
      }
    } else if (button == 4) {
      returned = returned + credit;
      credit = 0;
    }
    check(credit >= 0);
    check(stock >= 0);
  }
  check(credit + spent + returned == coins);
  check(spent == 3 * (20 - stock));
  check(spent <= 60);
  return 0;
}
//@ constant
//- if (coins > 5000) break;
//+ if (coins > 3000) break;
//@ statement
//- stock--;
//+ stock--;
//+ if (stock == 0) { returned = returned + credit; credit = 0; }
//@ rename credit=balance coins=inserted spent=sales returned=change stock=cans price=cost
//@ extract
//- int main(void) {
//+ static int enough(int have, int need) { return have >= need; }
//+ int main(void) {
//- if (credit >= price && stock > 0) {
//+ if (enough(credit, price) && stock > 0) {
//@ branch
//- else if (button == 3) {
//+ else if (button == 5) { credit = credit + 5; coins = coins + 5; }
//+ else if (button == 3) {
