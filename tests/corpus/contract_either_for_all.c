// expect: false(contract) --entry mixed
// skip harness: a compiler does not see the contract
// Each of two claims is about all cells; that each cell satisfies one of them is less.
/*@ predicate zeros(int *a) = \forall integer i; 0 <= i < 2 ==> a[i] == 0; */
/*@ requires \valid(a + (0 .. 1));
    assigns a[0 .. 1];
    ensures zeros(a) || (\forall integer i; 0 <= i < 2 ==> a[i] == 1); */
void mixed(int *a) {
  a[0] = 0;
  a[1] = 1;
}
