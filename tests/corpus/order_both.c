// expect: true --property unreach-call
// The order is open and matters, but what is claimed holds of both values.
extern void reach_error(void);
int g = 1;
int f(void) { g = 5; return 1; }

int main(void) {
    int x = (g - 1) + f();
    if (x != 1 && x != 5)
        reach_error();
    return 0;
}
