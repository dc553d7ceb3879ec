// expect: true
// Walks to the end of one object are no such thing.
extern void reach_error(void);
int a[3], b[3];

static int length(const int *from, const int *to) {
    int count = 0;
    while (from != to) {
        from++;
        count++;
    }
    return count;
}

int main(void) {
    int local[2];
    if (length(a, a + 3) + length(b, b + 3) + length(local, local + 2) != 8)
        reach_error();
    return 0;
}
