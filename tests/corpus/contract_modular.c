// expect: unknown --entry twice --modular
// What the contract of `inc` leaves open shows nothing, though the body would do.
/*@ requires x > 0 && x < 100; assigns \nothing; ensures \result > x; */
int inc(int x) { return x + 1; }
/*@ requires x > 0 && x < 50; ensures \result == x + 2; */
int twice(int x) { return inc(inc(x) < 100 ? x + 1 : x); }
