// expect: false(contract) --entry is_end
// skip harness: a compiler does not see the contract
// What may be read may be a constant of the program.
static const int end = 7;
/*@ requires \valid_read(p); ensures \result == 0; */
int is_end(const int *p) { return p == &end; }
