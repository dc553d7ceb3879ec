// expect: true --property unreach-call
// Counters that nobody else sees are counted before or after the arguments.
extern void reach_error(void);
int up(int c) { return c + 1; }

int main(void) {
    char from[4] = {1, 2, 3, 0}, to[4], *s = from, *d = to;
    int sums[2], i = 0;
    while (*s)
        *d++ = (char)up(*s++);
    sums[i++] = up(*--d);
    if (to[0] != 2 || to[2] != 4 || sums[0] != 5 || i != 1)
        reach_error();
    return 0;
}
