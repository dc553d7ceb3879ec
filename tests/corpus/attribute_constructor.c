// expect: true --property unreach-call
// Constructors run by priority, then in the order of their definitions; the first declaration that has one decides.
extern void reach_error(void);

int order;

void late(void) __attribute__((constructor));
void middle(void) __attribute__((constructor(300)));
void late(void) { order = order * 10 + 4; }
__attribute__((constructor)) static void latest(void) { order = order * 10 + 5; }
__attribute__((constructor)) void middle(void) { order = order * 10 + 2; }
[[gnu::constructor(200)]] void early(void) { order = order * 10 + 1; }
__attribute__((__constructor__(300))) void second(void) { order = order * 10 + 3; }

int main(void) {
    if (order != 12345)
        reach_error();
    return 0;
}
