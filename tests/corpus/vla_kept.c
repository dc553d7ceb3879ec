// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see an array of variable length end
// An array of variable length ends with each iteration.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), *kept = 0, sum = 0;
    if (n < 1 || n > 4)
        return 0;
    for (int i = 0; i < 2; i++) {
        int row[n];
        row[0] = i;
        if (kept)
            sum += *kept;
        kept = row;
    }
    return sum;
}
