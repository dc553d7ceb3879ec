// expect: true --property unreach-call
// A weak definition counts where there is no other.
extern void reach_error(void);

int hook(void) __attribute__((weak));
int hook(void) { return 3; }

int main(void) {
    if (!hook || hook() != 3)
        reach_error();
    return 0;
}
