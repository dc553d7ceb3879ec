// expect: unknown --property unreach-call
// The bytes of the member are turned around.
extern void reach_error(void);

typedef struct {
    int a;
} __attribute__((scalar_storage_order("big-endian"))) turned;

int main(void) {
    union {
        turned t;
        unsigned char bytes[4];
    } u;
    u.t.a = 1;
    if (u.bytes[0] == 1)
        reach_error();
    return 0;
}
