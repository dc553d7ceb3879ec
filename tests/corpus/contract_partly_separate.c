// expect: false(contract) --entry last
// skip harness: a compiler does not see the contract
// The fourth cell of one array may be the first of the other.
/*@ requires \valid(a + (0 .. 3)) && \valid(b + (0 .. 3));
    requires \separated(a + (0 .. 2), b + (0 .. 2));
    ensures b[0] == \old(b[0]); */
void last(int *a, int *b) {
  (void)b;
  a[3] = 5;
}
