// expect: unknown --property unreach-call
// A declaration further down says nothing about a call: the argument is passed as a double and taken as an int.
extern void reach_error(void);
int whole();

int main(void) {
    if (whole(1.5) != 1)
        reach_error();
    return 0;
}

int whole(int x) { return x; }
