// expect: false(contract) --entry side
// skip harness: a compiler does not see the contract
/*@ behavior left: assumes x <= 0; ensures \result <= 1;
    behavior right: assumes x >= 0; ensures \result >= 0;
    disjoint behaviors left, right; */
int side(int x) { return x >= 0; }
