// expect: unknown --property unreach-call
// Behind the comma the value is another, and at the end it is the first again.
extern void reach_error(void);
int g = 1;
int back(void) { g = 1; return 0; }

int main(void) {
    if ((g - 1) + (g = 5, back()) != 0)
        reach_error();
    return 0;
}
