// expect: not-true --entry beyond
// What a quantifier binds has no values beyond its type.
/*@ requires \valid_read(a + (0 .. 399));
    requires \forall unsigned char i; 0 <= i <= 399 ==> a[i] == 0;
    ensures \result == 0; */
int beyond(const int *a) { return a[300]; }
