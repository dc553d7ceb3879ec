// expect: unknown --property unreach-call
// A builtin that is not modelled is no function that returns an int.
extern void reach_error(void);

int main(void) {
    if (__builtin_eh_return_data_regno(0) == 0)
        reach_error();
    return 0;
}
