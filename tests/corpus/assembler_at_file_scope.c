// expect: unknown --property unreach-call
// Assembly outside of functions may define anything.
extern void reach_error(void);
__asm__(".globl answer\nanswer: .long 42\n");
extern int answer;

int main(void) {
    if (answer == 42)
        reach_error();
    return 0;
}
