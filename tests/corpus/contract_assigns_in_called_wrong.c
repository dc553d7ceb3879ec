// expect: false(contract) --entry advance
// A function without a contract writes beside what its caller's contract lists.
static int count[2];

static void step(int *at, int limit) {
  if (*at < limit)
    *at += 1;
  else
    count[limit & 1] = 0;
}

/*@ requires \valid(at);
    assigns *at; */
void advance(int *at, int limit) {
  step(at, limit);
}
