// expect: true --entry zero --property valid-memsafety
// skip bounded: any length
// skip witness: the contract is not in the program that the witness is checked with
// All of an array of any length, with what is assigned; the loop's clauses are checked and used.
/*@ requires n >= 0 && \valid(a + (0 .. n - 1));
    assigns a[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> a[i] == 0; */
void zero(int *a, int n) {
  /*@ loop invariant 0 <= i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] == 0;
      loop assigns i, a[0 .. n - 1];
      loop variant n - i; */
  for (int i = 0; i < n; i++) a[i] = 0;
}
