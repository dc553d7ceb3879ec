// expect: unknown --property unreach-call
// How gcc folds this before it decides on an order is not modelled.
extern void reach_error(void);
int g = 1;
int f(void) { g = 5; return 1; }

int main(void) {
    if ((g - 1) + f() != 5)
        reach_error();
    return 0;
}
