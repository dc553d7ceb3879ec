// expect: true --property unreach-call
// Another name of a function, of a variable, of what is another name itself; a definition elsewhere is not needed.
extern void reach_error(void);

static int three(void) { return 3; }
int also_three(void) __attribute__((alias("three")));
extern int again_three(void) __attribute__((weak, __alias__("also_three")));

int counter = 4;
extern int same_counter __attribute__((alias("counter")));

int main(void) {
    same_counter++;
    if (also_three() + again_three() != 6 || counter != 5)
        reach_error();
    return 0;
}
