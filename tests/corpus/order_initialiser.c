// expect: true --property unreach-call
// gcc evaluates initialisers in the order in which members lie, and not what is overwritten.
extern void reach_error(void);
int count;
int next(void) { return ++count; }
struct pair { int x, y; };

int main(void) {
    struct pair p = {.y = next(), .x = next()};
    struct pair q = (struct pair){.y = next(), .x = next()};
    int a[3] = {[2] = next(), [0] = next(), [1] = next(), [2] = next()};
    if (p.x != 1 || p.y != 2 || q.x != 3 || q.y != 4)
        reach_error();
    if (a[0] != 5 || a[1] != 6 || a[2] != 7 || count != 7)
        reach_error();
    return 0;
}
