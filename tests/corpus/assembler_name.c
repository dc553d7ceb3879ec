// expect: true --property unreach-call
// Names of the assembler are what is linked.
extern void reach_error(void);

int three(void) { return 3; }
int other_name(void) __asm__("three");
int value __asm__("real_value") = 4;
extern int real_value;

int main(void) {
    value++;
    if (other_name() != 3 || real_value != 5)
        reach_error();
    return 0;
}
