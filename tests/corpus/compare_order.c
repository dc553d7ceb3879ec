// expect: unknown
// Which of two objects comes first is not the program's to know.
extern void reach_error(void);
int a, b;

int main(void) {
    int *p = &a, *q = &b;
    if (p < q)
        reach_error();
    return 0;
}
