// expect: true
// skip predicate: bytes of wider integers
// skip impact: bytes of wider integers
// skip trace: bytes of wider integers
// skip bounded: bytes of wider integers
// A cast between vectors keeps the bytes; narrow lanes wrap; a union has both.
extern void reach_error(void);

typedef unsigned char bytes __attribute__((vector_size(8)));
typedef short halves __attribute__((vector_size(8)));
typedef float floats __attribute__((vector_size(8)));
typedef int words __attribute__((vector_size(8)));

union both {
    halves h;
    bytes b;
    unsigned long long all;
};

int main(void)
{
    bytes b = {255, 1, 0, 128, 7, 9, 200, 100};
    b += b;
    if (b[0] != 254 || b[3] != 0 || b[6] != 144)
        reach_error();
    union both u;
    u.b = b;
    if (u.h[0] != 0x2fe || (unsigned long long)u.h != u.all)
        reach_error();
    words bits = (words)(floats){1.0f, -2.0f};
    if (bits[0] != 0x3f800000 || bits[1] != (int)0xc0000000)
        reach_error();
    words whole = __builtin_convertvector((floats){1.5f, -2.5f}, words);
    if (whole[0] != 1 || whole[1] != -2)
        reach_error();
    return 0;
}
