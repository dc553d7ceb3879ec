// expect: true --entry is_end
// What may be written is none.
static const int end = 7;
/*@ requires \valid(p); ensures \result == 0; */
int is_end(int *p) { return p == &end; }
