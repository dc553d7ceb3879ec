// expect: unknown --property unreach-call
// A pragma may turn bytes around as well.
extern void reach_error(void);

#pragma scalar_storage_order big-endian
struct turned {
    short a;
};
#pragma scalar_storage_order default

int main(void) {
    struct turned t = {1};
    if (*(char *)&t == 1)
        reach_error();
    return 0;
}
