// expect: not-true --entry increment
// A verdict about a function has to look at what is promised of it.
/*@ requires x > 0 && x < 100; ensures \result == x + 1; */
int increment(int x) { return x + 2; }
