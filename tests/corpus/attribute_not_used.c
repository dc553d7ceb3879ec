// expect: true --property unreach-call
// What nobody uses may have any attribute.
extern void reach_error(void);

__attribute__((interrupt)) void handler(void *frame) {}
struct __attribute__((scalar_storage_order("big-endian"))) other { int a; };
typedef int strange __attribute__((nobody_knows_this));
extern strange never(void);

int main(void) {
    int x = 1;
    if (x != 1)
        reach_error();
    return 0;
}
