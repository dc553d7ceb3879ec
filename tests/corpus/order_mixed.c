// expect: unknown --property unreach-call
// The sum of both reads stays, but folding may read one early and one late.
extern void reach_error(void);
int g = 1, h = 2;
int swap(void) { g = 2; h = 1; return 0; }

int main(void) {
    if ((g + h - 3) + swap() != 0)
        reach_error();
    return 0;
}
