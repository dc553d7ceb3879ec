// expect: true --property unreach-call
// skip impact: floats may have any value in formulas
// skip predicate: floats may have any value in formulas
// skip trace: floats may have any value in formulas
// skip bounded: floats may have any value in formulas
// How gcc folds these is not modelled. In this run it does not matter: nothing that is read early or late changes in between.
extern void reach_error(void);
int g = 1, h = 2, a[3] = {1, 2, 3}, *p = a;
struct { int x, y; } s = {3, 4};
float zero, minus = -0.0f;
int f(int turn) { if (turn) g = 5; return 1; }
int *next(void) { return p + 0; }
int twice(int x) { return 2 * x; }

int main(void) {
    int i = 0;
    if ((g - 1) + f(0) != 1)
        reach_error();
    if ((f(0) - 1) + g != 1 || (f(0) - 1) + p[2] != 3)
        reach_error();
    if ((s.x + s.y + 1) - (f(0) + 2) != 5)
        reach_error();
    if ((g & 7) | (h++, f(0)))
        g = 1;
    if (zero + minus * (float)f(0) != 0)
        reach_error();
    *p = twice(h = 4);
    a[i++] = twice(g);
    a[i++] = a[2];
    if (a[0] != 2 || a[1] != 3 || i != 2)
        reach_error();
    return 0;
}
