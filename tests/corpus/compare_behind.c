// expect: not-true
// One past an object may be the next one (C11 6.5.9).
extern void reach_error(void);
int a, b[2], c;

int main(void) {
    int *ends[2] = {&a + 1, b + 2}, *starts[2] = {b, &c};
    for (int i = 0; i < 2; i++)
        if (ends[i] == starts[i])
            reach_error();
    return 0;
}
