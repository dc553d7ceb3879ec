// expect: false(unreach-call) --property unreach-call
// A destructor runs when main returns.
extern void reach_error(void);

int done;

void after(void) __attribute__((destructor(500)));
void after(void) {
    if (done)
        reach_error();
}

int main(void) {
    done = 1;
    return 0;
}
