// expect: false(unreach-call) --property unreach-call
// The order is open and matters, but not in the run that fails.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int g = 1;
int f(void) { g = 5; return 1; }

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 7)
        reach_error();
    if ((g - 1) + f() != 5)
        x = 0;
    if (x == 8)
        reach_error();
    return 0;
}
