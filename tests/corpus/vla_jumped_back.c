// expect: false(valid-deref) --property valid-deref
// skip harness: gcc's sanitizer does not see an array of variable length end
// A jump back over its declaration ends an array of variable length, though its block goes on.
int main(void) {
    int n = 3, round = 0, *kept = 0;
again:;
    int row[n];
    row[0] = round;
    if (round > 0)
        return *kept;
    kept = row;
    round++;
    goto again;
}
