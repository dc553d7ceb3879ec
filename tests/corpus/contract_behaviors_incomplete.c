// expect: false(contract) --entry sign
// skip harness: a compiler does not see the contract
// Behaviors are claimed to be complete where the run starts, too: none is for zero.
/*@ behavior up: assumes x > 0; ensures \result == 1;
    behavior down: assumes x < 0; ensures \result == -1;
    complete behaviors up, down; */
int sign(int x) { return x > 0 ? 1 : -1; }
