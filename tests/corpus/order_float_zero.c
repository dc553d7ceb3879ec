// expect: unknown --property unreach-call
// Both zeros are equal and yet not the same.
extern void reach_error(void);
double g = 0.0;
double f(void) { g = -0.0; return -0.0; }

int main(void) {
    if (1.0 / (-g + f()) < 0)
        reach_error();
    return 0;
}
