// expect: not-true
// The array of the next iteration may lie where the last one was.
extern void reach_error(void);

int main(void) {
    int n = 2, *before = 0;
    for (int i = 0; i < 2; i++) {
        int row[n];
        row[0] = i;
        if (before == row)
            reach_error();
        before = row;
    }
    return 0;
}
