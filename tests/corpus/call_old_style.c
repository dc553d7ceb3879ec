// expect: true --property unreach-call
// Parameters of the old style take promoted arguments.
extern void reach_error(void);

int sum(a, b)
char a;
short b;
{
    return a + b;
}

int main(void) {
    if (sum(1, 2) != 3)
        reach_error();
    return 0;
}
