// expect: false(contract) --entry f
// skip harness: a compiler does not see the contract
// What is assumed to exist is none of the values that something is claimed of.
/*@ requires \valid_read(a + (0 .. 2));
    requires \exists integer i; 0 <= i < 3 && a[i] == 1;
    ensures \forall integer i; 0 <= i < 3 ==> a[i] == 1; */
void f(const int *a) { (void)a; }
