// expect: true --property unreach-call
// Attributes that say nothing about what is computed.
extern void reach_error(void);

__attribute__((noinline, cold, __nothrow__, section(".text.mine"))) static int one(void) { return 1; }
__attribute__((pure, visibility("hidden"), optimize("O2"))) int two(int x __attribute__((unused))) {
    return 2;
}
int unused_counter __attribute__((used, section("mine")));

int main(void) {
    int result = 0;
    switch (one()) {
    case 1:
        result = two(1);
        __attribute__((fallthrough));
    default:
        result++;
    }
    if (result != 3)
        reach_error();
    return 0;
}
