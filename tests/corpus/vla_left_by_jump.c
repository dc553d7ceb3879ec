// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see an array of variable length end
// A jump out of its block ends an array of variable length.
int main(void) {
    int n = 2, *kept;
    for (;;) {
        int row[n];
        row[1] = 1;
        kept = &row[1];
        if (row[1])
            goto out;
    }
out:
    return *kept;
}
