// expect: true --property valid-deref
// An ordinary local lives as long as its block, whatever jumps back over its declaration.
int main(void) {
    int round = 0, *kept = 0;
again:;
    int cell;
    if (round == 0) {
        cell = 5;
        kept = &cell;
        round = 1;
        goto again;
    }
    *kept = 6;
    return 0;
}
