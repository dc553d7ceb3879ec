// expect: unknown --property unreach-call
// What is weak and not defined has no address, unless the program is linked with more.
extern void reach_error(void);
#pragma weak hook
extern void hook(void);

int main(void) {
    if (!hook)
        reach_error();
    return 0;
}
