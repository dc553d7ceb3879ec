// expect: true --entry advance
// A function without a contract writes what its caller's contract lists, and an object of its own.
static void put(int *to, int value) {
  *to = value;
}

static void step(int *at, int limit) {
  int next = *at;
  if (next < limit)
    next++;
  put(at, next);
}

/*@ requires \valid(at) && *at >= 0;
    assigns *at;
    ensures *at >= \old(*at); */
void advance(int *at, int limit) {
  step(at, limit);
  step(at, limit);
}
